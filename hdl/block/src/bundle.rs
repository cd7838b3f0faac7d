//! `#[bundle]` and `#[stream]`.

use crate::attribute::{take, walked};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::{parse_quote, Field, Fields, GenericParam, Generics, Ident, ItemStruct, Type, TypeParam};

/// A bundle whose members' ports do without its name.
fn is_flat(field: &Field) -> bool {
    field.attrs.iter().any(|a| a.path().is_ident("flat"))
}

/// The member's type in a bundle of kind `K`.
fn member(field: &mut Field) -> syn::Result<Type> {
    let mut ty = field.ty.clone();
    // A type that a macro was given stands in a group.
    while let Type::Group(group) = ty {
        ty = *group.elem;
    }
    let is_back = take(field, "back").is_some();
    if is_flat(field) || take(field, "nested").is_some() {
        let Type::Path(path) = ty else {
            return Err(syn::Error::new_spanned(ty, "a nested bundle is named by its type"));
        };
        let mut path = path.path;
        let last = path.segments.last_mut().expect("a path has a segment");
        let name = last.ident.clone();
        let arguments: Vec<syn::GenericArgument> = match &last.arguments {
            syn::PathArguments::AngleBracketed(a) => a.args.iter().cloned().collect(),
            _ => vec![],
        };
        *last = parse_quote!(#name<K #(, #arguments)*>);
        return Ok(parse_quote!(#path));
    }
    Ok(match &ty {
        Type::Array(a) => {
            let (of, count) = (&a.elem, &a.len);
            parse_quote!([K::Of<#of>; #count])
        }
        _ if is_back => parse_quote!(K::Back<#ty>),
        _ => parse_quote!(K::Of<#ty>),
    })
}

/// A size without a bound is a number.
fn sizes_are_numbers(generics: &mut Generics) {
    for param in generics.params.iter_mut() {
        if let GenericParam::Type(TypeParam { ident, bounds, .. }) = param {
            if bounds.is_empty() {
                *param = parse_quote!(const #ident: usize);
            }
        }
    }
}

/// The struct over its kind, its walk, and what it can be joined with.
pub fn expand(mut item: ItemStruct, has_handshake: bool) -> syn::Result<TokenStream> {
    sizes_are_numbers(&mut item.generics);
    let Fields::Named(fields) = &mut item.fields else {
        return Err(syn::Error::new_spanned(&item.ident, "a bundle has named members"));
    };
    if has_handshake {
        let valid = quote!(#[doc = "Something stands here."] pub valid: Bit);
        let ready = quote!(#[doc = "It is taken."] #[back] pub ready: Bit);
        let own = std::mem::take(&mut fields.named);
        let front = [Field::parse_named.parse2(valid)?, Field::parse_named.parse2(ready)?];
        fields.named.extend(front.into_iter().chain(own));
    }
    let names: Vec<_> = fields.named.iter().filter_map(|f| f.ident.clone()).collect();
    let mut texts = vec![];
    for field in &mut fields.named {
        field.ty = member(field)?;
        texts.push(walked(field));
    }
    let name = item.ident.clone();
    let mut joined = item.generics.clone();
    joined.params.insert(0, parse_quote!(A: nic_emit::Kind));
    joined.params.insert(1, parse_quote!(B: nic_emit::Kind));
    let sizes = item.generics.params.iter().filter_map(|p| match p {
        GenericParam::Const(c) => Some(c.ident.clone()),
        GenericParam::Type(t) => Some(t.ident.clone()),
        GenericParam::Lifetime(_) => None,
    });
    let sizes: Vec<Ident> = sizes.collect();
    item.generics.params.insert(0, parse_quote!(K: nic_emit::Kind));
    let (generics, types, bounds) = item.generics.split_for_impl();
    let (join_generics, _, _) = joined.split_for_impl();
    Ok(quote! {
        #item
        impl #generics Default for #name #types #bounds {
            fn default() -> Self { Self { #(#names: Default::default()),* } }
        }
        impl #generics logic::Logic for #name #types #bounds {
            fn update(&mut self) {}
        }
        impl #generics logic::LogicJoin for #name #types #bounds {}
        impl #generics block::Block for #name #types #bounds {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {}
            fn has_changed(&self) -> bool { false }
            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                probe.visit_start_namespace(name, self);
                #(self.#names.accept(#texts, probe);)*
                probe.visit_end_namespace(name, self);
            }
        }
        impl #join_generics nic_emit::Joins<#name<B #(, #sizes)*>> for #name<A #(, #sizes)*> #bounds {}
    })
}
