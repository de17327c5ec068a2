; The grammar has no tags.

[(line_comment) (block_comment)] @doc

(class_declaration name: (identifier) @name) @definition.class

(object_declaration name: (identifier) @name) @definition.object

(companion_object name: (identifier) @name) @definition.object

(enum_entry (identifier) @name (class_body)) @definition.class

(class_body (function_declaration name: (identifier) @name) @definition.method)

(function_declaration name: (identifier) @name) @definition.function

; An extension function is written with the type it extends.
(function_declaration
  (_) @scope
  .
  "."
  .
  name: (identifier) @name) @definition.function

(secondary_constructor "constructor" @name) @definition.constructor

(property_declaration
  (variable_declaration (identifier) @name)
  [(getter) (setter)]) @definition.method

(property_declaration (variable_declaration (identifier) @name)) @definition.property

(type_alias type: (identifier) @name) @definition.type
