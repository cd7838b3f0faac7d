//! `#[kernel]`.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeMap;
use syn::visit_mut::{self, VisitMut};
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

/// The parts of a kernel, each with whether it has been named.
struct Parts {
    functions: BTreeMap<String, (ImplItemFn, bool)>,
    refused: Option<Error>,
}

impl Parts {
    /// The part that `statement` names: `self.part();`.
    fn named(&mut self, statement: &Stmt) -> Option<&mut (ImplItemFn, bool)> {
        let Stmt::Expr(Expr::MethodCall(call), Some(_)) = statement else { return None };
        let is_self = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        let found = self.functions.get_mut(&call.method.to_string());
        found.filter(|_| is_self && call.args.is_empty())
    }
}

impl VisitMut for Parts {
    /// Puts every part in the place where it is named, below its doc comment.
    fn visit_block_mut(&mut self, block: &mut Block) {
        for mut statement in std::mem::take(&mut block.stmts) {
            let Some((part, is_used)) = self.named(&statement) else {
                visit_mut::visit_stmt_mut(self, &mut statement);
                block.stmts.push(statement);
                continue;
            };
            if std::mem::replace(is_used, true) {
                self.refused = Some(Error::new_spanned(statement, "a part stands in one place"));
                return;
            }
            let (text, mut body) = (doc(&part.attrs), part.block.clone());
            if !text.is_empty() {
                block.stmts.push(parse_quote!(comment!(#text);));
            }
            self.visit_block_mut(&mut body);
            block.stmts.append(&mut body.stmts);
        }
    }
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
    let Some((mut update, _)) = parts.remove("update") else {
        return Err(Error::new_spanned(ty, "a kernel has a function `update`"));
    };
    let mut parts = Parts { functions: parts, refused: None };
    parts.visit_block_mut(&mut update.block);
    if let Some(error) = parts.refused {
        return Err(error);
    }
    if let Some((part, _)) = parts.functions.values().find(|(_, is_used)| !is_used) {
        return Err(Error::new_spanned(&part.sig.ident, "this part stands nowhere"));
    }
    let (generics, _, bounds) = item.generics.split_for_impl();
    Ok(placed(quote! {
        impl #generics Logic for #ty #bounds {
            #[hdl_gen]
            #update
        }
    }))
}
