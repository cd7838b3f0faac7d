//! `#[row]` and `staged!`.

use crate::attribute::take_value;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Expr, Field, Fields, FieldsNamed, Ident, ItemStruct, LitInt, Token};

type Tokens = Vec<TokenStream>;

/// What the struct says of its fields: functions, types, and the bit behind each.
fn places(fields: &mut FieldsNamed) -> syn::Result<(Tokens, Tokens, Tokens)> {
    let mut accessors = vec![];
    let mut kinds = vec![];
    let mut ends = vec![];
    let mut end = quote!(0_usize);
    for field in fields.named.iter_mut() {
        let offset = take_value(field, "at")?.map_or(end, |at| quote!((#at)));
        let (ty, name) = (&field.ty, &field.ident);
        let text = name.as_ref().map(Ident::to_string).unwrap_or_default();
        let (width_of, offset_of) =
            (format_ident!("get_my_width_{text}"), format_ident!("get_my_offset_{text}"));
        accessors.push(quote! {
            #[doc(hidden)]
            pub fn #width_of(&self) -> usize { <#ty as Synth>::BITS }
            #[doc(hidden)]
            pub fn #offset_of(&self) -> usize { #offset }
        });
        kinds.push(quote!(Box::new(type_descriptor::TypeField {
            fieldname: #text.into(),
            kind: <#ty as Synth>::descriptor(),
        })));
        end = quote!(#offset + <#ty as Synth>::BITS);
        ends.push(end.clone());
    }
    Ok((accessors, kinds, ends))
}

/// The struct and what the kernel's macro and the emitter ask of it: its width, and where each
/// field stands. `bits` is the width, where the fields don't reach its end. Kernels are never run:
/// of values only the types count, and a register's value is 0.
pub fn expand(bits: Option<Expr>, mut item: ItemStruct) -> syn::Result<TokenStream> {
    let Fields::Named(fields) = &mut item.fields else {
        return Err(syn::Error::new_spanned(&item.ident, "a row has named fields"));
    };
    let (accessors, kinds, ends) = places(fields)?;
    let most = bits.map_or(quote!(0_usize), |bits| quote!(#bits));
    let name = &item.ident;
    let (generics, types, bounds) = item.generics.split_for_impl();
    let mut sized = item.generics.clone();
    sized.params.push(syn::parse_quote!(const ROW_BITS: usize));
    let (sized, _, _) = sized.split_for_impl();
    Ok(quote! {
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #item
        impl #generics #name #types #bounds {
            #(#accessors)*
            /// All its bits.
            pub fn to_bits<const ROW_BITS: usize>(self) -> Bits<ROW_BITS> { Bits::default() }
        }
        impl #generics Synth for #name #types #bounds {
            const BITS: usize = {
                let ends = [#most, #(#ends),*];
                let (mut bits, mut at) = (0, 0);
                while at < ends.len() {
                    bits = if ends[at] > bits { ends[at] } else { bits };
                    at += 1;
                }
                bits
            };
            fn descriptor() -> TypeDescriptor {
                let kind = TypeKind::Composite(vec![#(#kinds),*]);
                TypeDescriptor { name: stringify!(#name).into(), kind }
            }
            fn vcd(self) -> VCDValue { VCDValue::Composite(vec![]) }
            fn verilog(self) -> ast::VerilogLiteral { 0_u64.into() }
        }
        impl #generics From<u64> for #name #types #bounds {
            fn from(value: u64) -> Self {
                assert!(value == 0, "a row resets to 0");
                Self::default()
            }
        }
        impl #sized From<Bits<ROW_BITS>> for #name #types #bounds {
            fn from(bits: Bits<ROW_BITS>) -> Self {
                assert!(bits == Bits::default(), "a row resets to 0");
                Self::default()
            }
        }
        impl #sized From<#name #types> for Bits<ROW_BITS> #bounds {
            fn from(_: #name #types) -> Self { Self::default() }
        }
    })
}

/// A field of a table, and where it stands in the row.
struct Place {
    docs: Vec<Attribute>,
    name: Ident,
    word: LitInt,
    bit: LitInt,
    bits: LitInt,
}

impl Parse for Place {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let docs = Attribute::parse_outer(input)?;
        let name = input.parse()?;
        if input.parse::<Option<Token![:]>>()?.is_some() {
            input.parse::<syn::Type>()?;
        }
        input.parse::<Token![=]>()?;
        let at;
        syn::parenthesized!(at in input);
        let word = at.parse()?;
        at.parse::<Token![,]>()?;
        let bit = at.parse()?;
        at.parse::<Token![,]>()?;
        Ok(Self { docs, name, word, bit, bits: at.parse()? })
    }
}

/// A row for any of the tables that `nic_spec::rows!` lists: a field is called by its table and
/// its name, `qp_remote_ip`.
pub struct Staged(Vec<Field>);

impl Parse for Staged {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut fields = vec![];
        while !input.is_empty() {
            Attribute::parse_outer(input)?;
            let table: Ident = input.parse()?;
            input.parse::<Ident>()?;
            let (places, spans);
            syn::braced!(places in input);
            input.parse::<Ident>()?;
            syn::braced!(spans in input);
            let places = places.parse_terminated(Place::parse, Token![,])?.into_iter();
            let spans = spans.parse_terminated(Place::parse, Token![,])?.into_iter();
            for Place { docs, name, word, bit, bits } in places.chain(spans) {
                let name = format_ident!("{table}_{name}");
                // One bit is a `Bit`.
                let ty = if bits.base10_parse::<usize>()? == 1 {
                    quote!(Bit)
                } else {
                    quote!(Bits<#bits>)
                };
                let field = quote!(#(#docs)* #[at(32 * #word + #bit)] pub #name: #ty);
                fields.push(Field::parse_named.parse2(field)?);
            }
        }
        Ok(Self(fields))
    }
}

impl Staged {
    /// The row.
    pub fn expand(self) -> syn::Result<TokenStream> {
        let fields = self.0;
        let row = quote! {
            /// A row that software has staged, for any table: fields by table and name.
            pub struct StagedRow { #(#fields),* }
        };
        expand(Some(syn::parse_quote!(512)), syn::parse2(row)?)
    }
}
