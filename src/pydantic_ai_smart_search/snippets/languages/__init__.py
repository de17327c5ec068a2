"""The programming languages whose grammars the extra `languages` installs, and what each declares.

The wheel of a grammar says what declares something by its tags query: patterns over the syntax tree
that catch a declaration (`@definition.method`) and the words of its name (`@name`). Where the tags
of a grammar miss something, or it has none, a `.scm` file of this folder adds to them, in the same
vocabulary and two words more: `@scope`, what a name is qualified by without being nested in it (a
Go receiver), and `@doc`, a comment or an attribute, which belongs to the declaration below it.
Several `@name` of one declaration are joined by spaces, as in `impl Cache`.
"""
