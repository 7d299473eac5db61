//! Writes plain data as JSON in which text is replaced. The kind of a text follows from its type: the name of the newtype that it
//! is serialized as. A bare text is the name of a variant, or it is taken out.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Error, Map, Value};

use super::{Of, Redactor};

/// Types whose texts are ids: they stay.
const IDS: &[&str] = &["RunId", "AssignmentId", "CallId", "FindingId", "SourceId"];

/// Fields that say which variant of an enum it is.
const TAGS: &[&str] = &["event", "as", "said", "form", "is", "flaw", "edit", "answer", "kind"];

/// Fields in which text is a name, as far as it is one word.
const NAMES: &[&str] = &["names", "name", "version", "web", "drill", "tools"];

/// The field in place of a key.
const KEY: &str = "(key)";

/// Writes one value.
pub(super) struct Mask<'m, 'a> {
    to: &'m mut Redactor<'a>,
    place: Place,
}

/// The place of a value.
#[derive(Clone, Copy)]
struct Place {
    /// The field that holds it, or its list.
    field: &'static str,
    /// The newtype that it is, the outermost if there are several.
    newtype: Option<&'static str>,
    /// Whether it is JSON of others: only the program's own parts of it are known.
    foreign: bool,
    /// Whether a number there is the program's own all the same.
    counts: bool,
    of: Of,
}

impl<'m, 'a> Mask<'m, 'a> {
    pub(super) fn new(to: &'m mut Redactor<'a>) -> Mask<'m, 'a> {
        Mask { to, place: Place { field: "", newtype: None, foreign: false, counts: false, of: Of::Others } }
    }

    fn number(self, number: Value) -> Result<Value, Error> {
        Ok(if self.place.foreign && !self.place.counts { 0.into() } else { number })
    }

    fn many(self, variant: Option<&'static str>) -> Many<'m, 'a> {
        let place = Place { newtype: None, ..self.place };
        Many { to: self.to, place, variant, items: Vec::new() }
    }

    fn fields(self, name: &str, variant: Option<&'static str>) -> Fields<'m, 'a> {
        let place = Place { newtype: None, of: of(name).unwrap_or(self.place.of), ..self.place };
        Fields { to: self.to, place, variant, key: String::new(), foreign: false, counts: false, fields: Map::new() }
    }
}

/// Whether it is part of a hash, as ids of sources are.
fn is_digest(id: &str) -> bool {
    id.len() == 12 && id.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The kind of the texts of a type; None where the field around it decides.
fn of(name: &str) -> Option<Of> {
    Some(match name {
        "SourceRef" | "Block" | "Excerpt" | "Hit" | "Outline" | "Corpus" | "Skipped" | "File" | "Measure" => {
            Of::Documents
        }
        "ModelRequest" | "Said" | "ToolAnswer" | "Offer" | "AssignedModel" => Of::Prompts,
        "Reply" | "Content" | "ToolCall" => Of::Answers,
        "Finding" => Of::Findings,
        "Draft" | "Sentence" | "Verdict" | "Review" | "Remark" => Of::Drafts,
        _ => return None,
    })
}

impl<'m, 'a> Serializer for Mask<'m, 'a> {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Many<'m, 'a>;
    type SerializeTuple = Many<'m, 'a>;
    type SerializeTupleStruct = Many<'m, 'a>;
    type SerializeTupleVariant = Many<'m, 'a>;
    type SerializeMap = Fields<'m, 'a>;
    type SerializeStruct = Fields<'m, 'a>;
    type SerializeStructVariant = Fields<'m, 'a>;

    fn serialize_str(self, text: &str) -> Result<Value, Error> {
        let Mask { to, place } = self;
        let stays = match place.newtype {
            Some(id) if IDS.contains(&id) && (id != "SourceId" || is_digest(text)) => {
                to.ids.insert(text.into());
                true
            }
            None if place.field == KEY => {
                to.key_is_bare = true;
                KEYS.contains(&text) || COUNTS.contains(&text)
            }
            None if place.foreign => to.ids.contains(text),
            None => TAGS.contains(&place.field),
            Some(_) => false,
        };
        if stays {
            return Ok(text.into());
        }
        let is_word = !text.contains(char::is_whitespace) && !text.contains('/');
        Ok(Value::String(match place.newtype {
            Some("Role" | "ToolName" | "SourceId") => to.name(text),
            Some("ModelId") => to.model(text),
            Some("Condition") => to.condition(text),
            Some("Clean") if NAMES.contains(&place.field) && is_word => to.name(text),
            _ => to.text(place.of, text),
        }))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<Value, Error> {
        let Mask { to, place } = self;
        let foreign = place.foreign || matches!(name, "CleanJson" | "Untouched");
        value.serialize(Mask { to, place: Place { newtype: place.newtype.or(Some(name)), foreign, ..place } })
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Value, Error> {
        Ok(variant.into())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        let place = Place { newtype: None, ..self.place };
        let inner = value.serialize(Mask { to: self.to, place })?;
        Ok(Value::Object([(variant.to_owned(), inner)].into_iter().collect()))
    }

    fn serialize_bool(self, v: bool) -> Result<Value, Error> {
        Ok(v.into())
    }
    fn serialize_i8(self, v: i8) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_i16(self, v: i16) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_i32(self, v: i32) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_i64(self, v: i64) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_u8(self, v: u8) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_u16(self, v: u16) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_u32(self, v: u32) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_u64(self, v: u64) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_f32(self, v: f32) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_f64(self, v: f64) -> Result<Value, Error> {
        self.number(v.into())
    }
    fn serialize_char(self, v: char) -> Result<Value, Error> {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<Value, Error> {
        Err(Error::custom("events hold no bytes"))
    }
    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Many<'m, 'a>, Error> {
        Ok(self.many(None))
    }
    fn serialize_tuple(self, _: usize) -> Result<Many<'m, 'a>, Error> {
        Ok(self.many(None))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Many<'m, 'a>, Error> {
        Ok(self.many(None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Many<'m, 'a>, Error> {
        Ok(self.many(Some(variant)))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Fields<'m, 'a>, Error> {
        Ok(self.fields("", None))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'m, 'a>, Error> {
        Ok(self.fields(name, None))
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'m, 'a>, Error> {
        Ok(self.fields(name, Some(variant)))
    }
}

/// Writes a list.
pub(super) struct Many<'m, 'a> {
    to: &'m mut Redactor<'a>,
    place: Place,
    variant: Option<&'static str>,
    items: Vec<Value>,
}

impl Many<'_, '_> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        // A tag is a field by itself: nothing in a list is one.
        let field = if TAGS.contains(&self.place.field) { "" } else { self.place.field };
        self.items.push(value.serialize(Mask { to: self.to, place: Place { field, ..self.place } })?);
        Ok(())
    }

    fn whole(self) -> Result<Value, Error> {
        Ok(under(self.variant, Value::Array(self.items)))
    }
}

fn under(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::Object([(variant.to_owned(), value)].into_iter().collect()),
        None => value,
    }
}

/// Writes fields: of a struct, or with keys.
pub(super) struct Fields<'m, 'a> {
    to: &'m mut Redactor<'a>,
    place: Place,
    variant: Option<&'static str>,
    key: String,
    /// Whether the value under the key is JSON of others, and whether it is a count all the same.
    foreign: bool,
    counts: bool,
    fields: Map<String, Value>,
}

impl Fields<'_, '_> {
    fn field<T: Serialize + ?Sized>(&mut self, field: &'static str, value: &T) -> Result<(), Error> {
        let place = Place { field, ..self.place };
        self.fields.insert(field.to_owned(), value.serialize(Mask { to: self.to, place })?);
        Ok(())
    }

    fn whole(self) -> Result<Value, Error> {
        Ok(under(self.variant, Value::Object(self.fields)))
    }
}

/// Keys of JSON that are the program's own: of arguments of its tools, and of the reports that it asks of models.
const KEYS: &[&str] = &[
    "query",
    "quote",
    "path",
    "source",
    "command",
    "input",
    "entry",
    "here",
    "type",
    "properties",
    "required",
    "description",
    "items",
    "enum",
    "findings",
    "claim",
    "title",
    "text",
    "sentences",
    "cites",
    "verdict",
    "issues",
    "tasks",
];

/// Those whose numbers are the program's own too.
const COUNTS: &[&str] = &["limit", "from", "to"];

impl SerializeMap for Fields<'_, '_> {
    type Ok = Value;
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let place = Place { field: KEY, newtype: None, ..self.place };
        self.to.key_is_bare = false;
        let masked = key.serialize(Mask { to: self.to, place })?;
        // Keys of the program's own maps have types.
        self.foreign = self.place.foreign || self.to.key_is_bare;
        self.key = match masked {
            Value::String(key) => key,
            other => other.to_string(),
        };
        self.counts = COUNTS.contains(&self.key.as_str());
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let place = Place { field: "", foreign: self.foreign, counts: self.counts, ..self.place };
        let masked = value.serialize(Mask { to: self.to, place })?;
        self.fields.insert(std::mem::take(&mut self.key), masked);
        Ok(())
    }
    fn end(self) -> Result<Value, Error> {
        self.whole()
    }
}

impl SerializeStruct for Fields<'_, '_> {
    type Ok = Value;
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.field(key, value)
    }
    fn end(self) -> Result<Value, Error> {
        self.whole()
    }
}

impl SerializeStructVariant for Fields<'_, '_> {
    type Ok = Value;
    type Error = Error;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.field(key, value)
    }
    fn end(self) -> Result<Value, Error> {
        self.whole()
    }
}

/// A list of one kind: serde's name for its items, and the way to write one.
macro_rules! list {
    ($($kind:ident $item:ident,)+) => {$(
        impl $kind for Many<'_, '_> {
            type Ok = Value;
            type Error = Error;
            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.push(value)
            }
            fn end(self) -> Result<Value, Error> {
                self.whole()
            }
        }
    )+};
}

list! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}
