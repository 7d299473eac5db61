//! Adapts JSON Schemas to the subset that providers enforce.

use serde_json::{Map, Value, json};

/// Keywords that every strict mode supports.
const KNOWN: &str = "type properties required items enum const anyOf description title additionalProperties";

/// Whether strict mode takes the schema: an object with all properties required and no limits on numbers or lengths.
pub(super) fn is_strict(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("object")) && part_is_strict(schema)
}

fn part_is_strict(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    if !object.keys().all(|key| KNOWN.split(' ').any(|known| known == key)) {
        return false;
    }
    let closed = object.get("additionalProperties").is_none_or(|value| *value == Value::Bool(false));
    let properties = object.get("properties").and_then(Value::as_object);
    let required: Vec<&str> =
        object.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let whole = properties.is_none_or(|properties| {
        properties.iter().all(|(name, part)| required.contains(&name.as_str()) && part_is_strict(part))
    });
    let kinds = object.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    closed && whole && kinds.chain(object.get("items")).all(part_is_strict)
}

/// The schema with `additionalProperties: false` in every object.
pub(super) fn closed(schema: &Value) -> Value {
    rewritten(schema, &|object| {
        let is_object = object.get("type") == Some(&json!("object")) || object.contains_key("properties");
        if is_object && !object.contains_key("additionalProperties") {
            object.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    })
}

/// The schema without `additionalProperties` and `$schema`, for servers that reject them.
pub(super) fn open(schema: &Value) -> Value {
    rewritten(schema, &|object| {
        object.remove("additionalProperties");
        object.remove("$schema");
    })
}

/// Applies `change` to every subschema. A property that is named like a keyword is not one.
fn rewritten(schema: &Value, change: &dyn Fn(&mut Map<String, Value>)) -> Value {
    let Value::Object(object) = schema else { return schema.clone() };
    let mut object = object.clone();
    change(&mut object);
    for (key, part) in &mut object {
        match (key.as_str(), &mut *part) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(|part| *part = rewritten(part, change));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter_mut().for_each(|part| *part = rewritten(part, change));
            }
            ("items", Value::Object(_)) => *part = rewritten(part, change),
            _ => {}
        }
    }
    Value::Object(object)
}

/// Whether an empty object is valid.
pub(super) fn takes_empty(schema: &Value) -> bool {
    schema.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
}

/// A tool or schema name that every provider takes: at most 64 letters, digits, `_` and `-`.
pub(super) fn name(raw: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = raw.chars().map(fits).take(64).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictness_knows_only_plain_schemas_with_everything_required() {
        let part = |part: Value| json!({"type": "object", "properties": {"a": part}, "required": ["a"]});
        for fine in
            [json!({"type": "string"}), json!({"type": "array", "items": {"type": "string"}}), json!({"enum": ["x"]})]
        {
            assert!(is_strict(&part(fine.clone())), "{fine}");
        }
        for not in [json!({"type": "integer", "minimum": 1}), json!({"$ref": "#/x"}), json!(true)] {
            assert!(!is_strict(&part(not.clone())), "{not}");
        }
        assert!(!is_strict(&json!({"type": "object", "properties": {"a": {"type": "string"}}})), "a is not required");
        assert!(!is_strict(&json!({"type": "array", "items": {"type": "string"}})), "the root is no object");
    }

    #[test]
    fn objects_are_closed_and_opened_at_every_depth_but_a_property_is_not_taken_for_a_keyword() {
        let schema = json!({"type": "object", "properties": {
            "items": {"type": "object", "properties": {"x": {"type": "string"}}},
            "list": {"type": "array", "items": {"type": "object", "properties": {}}},
            "additionalProperties": {"type": "string"},
        }});
        let shut = closed(&schema);
        assert_eq!(shut["additionalProperties"], json!(false));
        assert_eq!(shut["properties"]["items"]["additionalProperties"], json!(false));
        assert_eq!(shut["properties"]["list"]["items"]["additionalProperties"], json!(false));
        assert_eq!(shut["properties"]["additionalProperties"], json!({"type": "string"}));
        assert_eq!(open(&shut), schema);
    }
}
