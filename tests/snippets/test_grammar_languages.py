"""What each language declares, as the outline of a small source in it."""

from __future__ import annotations

from inline_snapshot import snapshot

from pydantic_ai_smart_search.snippets.languages.table import LANGUAGES, language_of
from tests.snippets.outlines import SOURCES, outline


def test_every_language_has_a_source_here() -> None:
    languages = [language_of(path.name, path.read_text()) for path in SOURCES]
    assert {id(language) for language in languages} == {id(one) for one in LANGUAGES.values()}


def test_bash_functions_are_named_in_either_notation() -> None:
    assert outline('cache.sh') == snapshot("""\
1-4
6-10 cache_path
12-16 cache_get
18-21 cache_clear
23-23\
""")


def test_c_functions_reach_from_their_comment_to_the_end_of_their_body() -> None:
    assert outline('cache.c') == snapshot("""\
1-4
6-7 MIN
9-14 entry
16-19 cache_t
21-21 policy
23-29 names
31-31 cache_length
33-38 cache_new
40-48 cache_slot\
""")


def test_c_sharp_members_without_a_plain_name_are_named_too() -> None:
    assert outline('Cache.cs') == snapshot("""\
1-9 Cache
11-15 Cache.Cache
17-17 Cache.IsFull
19-23 Cache.this
25-33 Cache.Get
35-39 Cache.operator +
41-42 Cache.Dispose
44-47 Entry, Policy\
""")


def test_cpp_members_are_named_alike_inside_and_outside_their_class() -> None:
    assert outline('cache.cpp') == snapshot("""\
1-9 Cache
10-13 Cache::Cache
15-15 Cache::~Cache
17-20 Cache::operator[]
22-25 Cache::operator bool
27-31 Cache::find
33-36 Cache
38-44 store::Cache::~Cache
46-51 cache_version\
""")


def test_elixir_functions_keep_their_attributes_and_are_named_with_their_module() -> None:
    assert outline('cache.ex') == snapshot("""\
1-4 Store.Cache
6-13 Store.Cache.get
15-15 Store.Cache.clear
17-21 Store.Cache.init
23-26 Store.Cache.cached
28-31 Store.Cache.+
33-34 Store.Cache.is_key
36-41 Enumerable.Store.Cache, Enumerable.Store.Cache.count
43-45 Store.Loads, Store.Loads.load\
""")


def test_go_methods_are_named_with_their_receiver() -> None:
    assert outline('cache.go') == snapshot("""\
1-6
8-12 Cache
14-16 Store
17-19 Store.Load, Store.Save
21-22 Key
24-28 New
30-38 Cache.Get
40-40 Cache.Len
42-45 onEvict\
""")


def test_java_constructors_records_and_constants_with_a_body_are_named() -> None:
    assert outline('Cache.java') == snapshot("""\
1-3
5-10 Cache
12-15 Cache.Cache
17-21 Cache.toString
23-30 Cache.keys, Cache.keys.iterator
32-32 Cache.Policy
33-38 Cache.Policy.LRU, Cache.Policy.LRU.rank
39-39 Cache.Policy
41-45 Cache.Policy.named
47-52 Cache.Entry, Cache.Entry.Entry
54-57 Cache.Cached\
""")


def test_javascript_functions_assigned_to_names_are_named() -> None:
    assert outline('cache.js') == snapshot("""\
1-3
5-11 Cache
13-16 Cache.constructor
18-21 Cache.isFull
23-26 Cache.#trim
28-31 Cache.onEvict
33-37 Cache.[Symbol.iterator]
39-43 create
45-48 load
50-53 remember
55-59 handlers, handlers.open
60-63 handlers.close
64-68 handlers.on-error
70-73 Cache.prototype.keys
75-80 exports.Store, exports.Store.load
82-82\
""")


def test_kotlin_extensions_are_named_with_what_they_extend() -> None:
    assert outline('Cache.kt') == snapshot("""\
1-3
5-7 Cache
9-12 Cache.constructor
14-17 Cache.isFull
19-23 Cache.get
25-30 Cache.watcher, Cache.watcher.changed
32-38 Cache.of
40-43 String.cached
45-45 Policy
46-51 Policy.LRU, Policy.LRU.rank
53-54 Policy.rank
56-56 Key\
""")


def test_lua_functions_are_named_with_their_table() -> None:
    assert outline('cache.lua') == snapshot("""\
1-1
3-8 POLICIES
10-14 M.new
16-21 M:get
23-26 M.clear
28-31 hash
33-37 handlers, handlers.on_evict
38-42 handlers.on miss
44-44\
""")


def test_php_methods_are_named_with_their_class_but_not_its_namespace() -> None:
    assert outline('cache.php') == snapshot("""\
1-3
5-11 Cache
13-17 Cache.__construct
19-25 Cache.get
27-30 Loads, Loads.load
32-39 Counts, Counts.count
41-43 Policy
45-50 Policy.named
52-56 cached
58-61 $missing\
""")


def test_ruby_methods_are_named_with_their_modules() -> None:
    assert outline('cache.rb') == snapshot("""\
1-1
3-3 Store
4-11 Store.Cache, Store.Cache.POLICIES
13-13 Store.Cache
15-18 Store.Cache.initialize
20-24 Store.Cache.empty
26-29 Store.Cache.[]
31-34 Store.Cache.capacity=
36-39 Store.Cache.trim
41-41 Store.Cache
42-46 Store.Cache.build
48-53 Store.Cache.key_of\
""")


def test_rust_methods_are_named_with_their_impl_block() -> None:
    assert outline('cache.rs') == snapshot("""\
1-5
7-15 Cache
17-22 impl Cache, impl Cache::new
24-27 impl Cache::len
29-32 impl Cache::is_full
34-38 impl fmt::Display for Cache, impl fmt::Display for Cache::fmt
40-41 Store, Store::load
43-47 Store::forget
49-53 cached
55-61 tests, tests::a_new_cache_is_empty\
""")


def test_scala_functions_end_before_the_comment_of_the_next() -> None:
    assert outline('Cache.scala') == snapshot("""\
1-3
5-7 Cache
9-12 Cache.this
14-16 Cache.get
18-23 Cache.++
25-25 Cache
26-31 Cache.ordering, Cache.ordering.compare, Cache.ordering.equiv
33-34 Store, Store.load
36-38 Store.forget
40-43 Store.rest
45-48 policy, policy.rank\
""")


def test_swift_members_are_named_with_their_type_or_its_extension() -> None:
    assert outline('Cache.swift') == snapshot("""\
1-1
3-5 Cache
7-10 Cache.init
12-15 Cache.deinit
17-20 Cache.isFull
22-25 Cache.subscript
27-31 Cache.get
33-37 Cache.==
39-44 extension Cache, extension Cache.description
46-49 Store, Store.load, Store.forget
51-53 Policy, Key\
""")


def test_typescript_decorators_stay_with_what_they_decorate() -> None:
    assert outline('cache.ts') == snapshot("""\
1-3 Key
5-8 Store, Store.load, Store.forget
10-15 Cache
17-20 Cache.constructor
22-28 Cache.load
30-34 Cache.forget
36-38 Base, Base.rank
40-43 Policy
45-50 Policies, Policies.named
52-54 cache, cache.size
56-61 cached
63-68 DEFAULTS\
""")


def test_tsx_components_are_named_also_when_wrapped() -> None:
    assert outline('Cache.tsx') == snapshot("""\
1-1
3-5 Props
7-11 Entry
13-21 Cache
23-26 useCache\
""")
