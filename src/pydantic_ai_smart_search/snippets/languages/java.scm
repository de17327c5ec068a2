; The grammar's own tags know classes, interfaces and methods only.

[(line_comment) (block_comment)] @doc

(constructor_declaration name: (identifier) @name) @definition.constructor

(compact_constructor_declaration name: (identifier) @name) @definition.constructor

(enum_declaration name: (identifier) @name) @definition.enum

(enum_constant name: (identifier) @name body: (class_body)) @definition.class

(record_declaration name: (identifier) @name) @definition.class

(annotation_type_declaration name: (identifier) @name) @definition.interface

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
