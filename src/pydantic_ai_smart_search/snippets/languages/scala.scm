; The grammar's own tags miss methods whose name is an operator, and those without a body.

[(comment) (block_comment)] @doc

(template_body (function_definition name: (_) @name) @definition.method)

(with_template_body (function_definition name: (_) @name) @definition.method)

(function_definition name: (_) @name) @definition.function

(function_declaration name: (_) @name) @definition.function

(package_object name: (_) @name) @definition.object

(class_definition name: (_) @name) @definition.class

(given_definition name: (_) @name) @definition.object
