//! `#[block]`.

use crate::attribute::{take_value, walked};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Field, Fields, FnArg, GenericParam, Ident, ItemStruct, Token, Type};

/// What stands in the parentheses of `#[block(..)]`.
#[derive(Default)]
pub struct Options {
    new: Option<Punctuated<FnArg, Token![,]>>,
    checks: Vec<Expr>,
    is_unreset: bool,
    is_comb: bool,
    is_mealy: bool,
}

impl Parse for Options {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let body;
            match name.to_string().as_str() {
                "new" => {
                    syn::parenthesized!(body in input);
                    options.new = Some(body.parse_terminated(FnArg::parse, Token![,])?);
                }
                "check" => {
                    syn::parenthesized!(body in input);
                    let checks = body.parse_terminated(Expr::parse, Token![,])?;
                    options.checks = checks.into_iter().collect();
                }
                "no_reset" => options.is_unreset = true,
                "comb" => options.is_comb = true,
                "mealy" => options.is_mealy = true,
                _ => {
                    let text = "options of a block are new, check, no_reset, comb and mealy";
                    return Err(syn::Error::new(name.span(), text));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

/// How the field is made.
fn constructor(field: &mut Field) -> syn::Result<TokenStream> {
    let reset = take_value(field, "reset")?.map(|e| quote!(nic_emit::Reg::new((#e).into())));
    let value = take_value(field, "value")?.map(|e| quote!(Constant::new((#e).into())));
    let init = take_value(field, "init")?.map(|e| quote!(#e));
    let given: Vec<_> = [&reset, &value, &init].into_iter().flatten().collect();
    let is_array = matches!(field.ty, Type::Array(_));
    match given[..] {
        [] if is_array => Ok(quote!(core::array::from_fn(|_| Default::default()))),
        [] => Ok(quote!(Default::default())),
        [one] if is_array && init.is_none() => Ok(quote!(core::array::from_fn(|_| #one))),
        [one] => Ok(one.clone()),
        _ => {
            let text = "one of #[reset], #[value] and #[init]";
            Err(syn::Error::new_spanned(&field.ident, text))
        }
    }
}

/// Clock and reset, unless the options say otherwise.
fn clock_and_reset(options: &Options) -> syn::Result<Vec<Field>> {
    let mut fields = vec![];
    if !options.is_comb {
        let clock = quote!(#[doc = "Core clock."] pub clock: Signal<In, Clock>);
        fields.push(Field::parse_named.parse2(clock)?);
    }
    if !options.is_comb && !options.is_unreset {
        let reset = quote!(#[doc = "Synchronous reset, active high."] pub reset: Signal<In, Bit>);
        fields.push(Field::parse_named.parse2(reset)?);
    }
    Ok(fields)
}

/// Sizes in the order of the generics: numbers as they are, types by their width.
fn sizes(item: &ItemStruct) -> Vec<TokenStream> {
    let size = |p: &GenericParam| match p {
        GenericParam::Const(c) => {
            let name = &c.ident;
            Some(quote!(#name.to_string()))
        }
        GenericParam::Type(t) => {
            let name = &t.ident;
            Some(quote!(<#name as Synth>::BITS.to_string()))
        }
        GenericParam::Lifetime(_) => None,
    };
    item.generics.params.iter().filter_map(size).collect()
}

/// The struct with its constructor and its walk.
pub fn expand(options: &Options, mut item: ItemStruct) -> syn::Result<TokenStream> {
    let sizes = sizes(&item);
    let Fields::Named(fields) = &mut item.fields else {
        return Err(syn::Error::new_spanned(&item.ident, "a block has named fields"));
    };
    let own = std::mem::take(&mut fields.named);
    fields.named.extend(clock_and_reset(options)?.into_iter().chain(own));
    let values: Vec<_> = fields.named.iter_mut().map(constructor).collect::<Result<_, _>>()?;
    let names: Vec<_> = fields.named.iter().filter_map(|f| f.ident.clone()).collect();
    let texts: Vec<_> = fields.named.iter_mut().map(walked).collect();
    let name = &item.ident;
    let checks = options.checks.iter().map(|c| quote!(assert!(#c);));
    let build = quote!(#(#checks)* Self { #(#names: #values),* });
    let (generics, types, bounds) = item.generics.split_for_impl();
    let make = match &options.new {
        Some(arguments) => quote! {
            impl #generics #name #types #bounds {
                /// The block.
                pub fn new(#arguments) -> Self { #build }
            }
        },
        None => quote! {
            impl #generics Default for #name #types #bounds {
                fn default() -> Self { #build }
            }
        },
    };
    let may_follow_inputs = options.is_comb || options.is_mealy;
    Ok(quote! {
        #item
        #make
        impl #generics block::Block for #name #types #bounds {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {}
            fn has_changed(&self) -> bool { false }
            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                probe.visit_start_scope(name, self);
                let sizes: &[String] = &[#(#sizes),*];
                let path = concat!(module_path!(), "::", stringify!(#name));
                nic_emit::visit_module(path, sizes, #may_follow_inputs, probe);
                #(self.#names.accept(#texts, probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    })
}
