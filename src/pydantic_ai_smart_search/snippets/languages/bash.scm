; The grammar has no tags.

(comment) @doc

(function_definition name: (word) @name) @definition.function
