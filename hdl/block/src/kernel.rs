//! `#[kernel]`.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeMap;
use syn::{parse_quote, Attribute, Block, Error, Expr, ImplItem, ImplItemFn, ItemImpl, Lit, Meta};
use syn::{Stmt, Type};

/// The text of a doc comment, as one line.
fn doc(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_string()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// The part that `statement` names: `self.part();`.
fn named<'a>(
    parts: &'a BTreeMap<String, (ImplItemFn, bool)>,
    statement: &Stmt,
) -> Option<&'a String> {
    let Stmt::Expr(Expr::MethodCall(call), Some(_)) = statement else { return None };
    let is_self = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
    let name = call.method.to_string();
    let found = parts.get_key_value(&name).map(|(name, _)| name);
    found.filter(|_| is_self && call.args.is_empty())
}

/// `tokens` with one meaning of `self`, also where a macro has brought them.
fn placed(tokens: TokenStream) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = token {
            token = Group::new(group.delimiter(), placed(group.stream())).into();
        }
        token.set_span(token.span().resolved_at(Span::call_site()));
        token
    });
    tokens.collect()
}

/// `block` with every part in the place where it is named, below its doc comment.
fn inlined(
    parts: &mut BTreeMap<String, (ImplItemFn, bool)>,
    block: &Block,
) -> syn::Result<Vec<Stmt>> {
    let mut statements = vec![];
    for statement in &block.stmts {
        let Some(name) = named(parts, statement).cloned() else {
            statements.push(statement.clone());
            continue;
        };
        let part = parts.get_mut(&name).expect("it was found");
        if std::mem::replace(&mut part.1, true) {
            return Err(Error::new_spanned(statement, "a part stands in one place"));
        }
        let (attributes, body) = (part.0.attrs.clone(), part.0.block.clone());
        let text = doc(&attributes);
        if !text.is_empty() {
            statements.push(parse_quote!(comment!(#text);));
        }
        statements.extend(inlined(parts, &body)?);
    }
    Ok(statements)
}

/// The kernel's functions, handed to the macro that adds its own.
pub fn handed(more: &syn::Path, item: &ItemImpl) -> TokenStream {
    let ((generics, _, bounds), ty) = (item.generics.split_for_impl(), &item.self_ty);
    let own = &item.items;
    quote!(#more! { [impl #generics #ty #bounds] { #(#own)* } })
}

/// One kernel of the functions of an `impl`.
pub fn expand(item: ItemImpl) -> syn::Result<TokenStream> {
    let mut parts = BTreeMap::new();
    for function in item.items {
        let ImplItem::Fn(function) = function else {
            return Err(Error::new_spanned(function, "a kernel has functions alone"));
        };
        parts.insert(function.sig.ident.to_string(), (function, false));
    }
    let ty: &Type = &item.self_ty;
    let Some((update, _)) = parts.remove("update") else {
        return Err(Error::new_spanned(ty, "a kernel has a function `update`"));
    };
    let statements = inlined(&mut parts, &update.block)?;
    if let Some((part, _)) = parts.values().find(|(_, is_used)| !is_used) {
        return Err(Error::new_spanned(&part.sig.ident, "this part stands nowhere"));
    }
    let (generics, _, bounds) = item.generics.split_for_impl();
    let signature = &update.sig;
    Ok(placed(quote! {
        impl #generics Logic for #ty #bounds {
            #[hdl_gen]
            #signature { #(#statements)* }
        }
    }))
}
