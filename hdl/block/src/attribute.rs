//! Attributes that an attribute macro knows and takes off a field.

use quote::quote;
use syn::{Attribute, Expr, Field};

/// Takes the attribute `name` off a field.
pub fn take(field: &mut Field, name: &str) -> Option<Attribute> {
    let at = field.attrs.iter().position(|a| a.path().is_ident(name))?;
    Some(field.attrs.remove(at))
}

/// Takes the attribute `name` off a field and returns what stands in its parentheses.
pub fn take_value(field: &mut Field, name: &str) -> syn::Result<Option<Expr>> {
    take(field, name).map(|a| a.parse_args()).transpose()
}

/// What a walk calls the field `name`; takes `#[flat]` off it: a bundle whose members' ports do
/// without its name.
pub fn walked(field: &mut Field) -> proc_macro2::TokenStream {
    let text = field.ident.as_ref().map(syn::Ident::to_string).unwrap_or_default();
    match take(field, "flat") {
        Some(_) => quote!(&format!("{}{}", nic_emit::FLAT, #text)),
        None => quote!(#text),
    }
}
