"""What a file is for."""

from __future__ import annotations

import pytest

from pydantic_ai_smart_search.source.kinds import FileKind, kind_of

KINDS = {
    FileKind.TEST: """
        tests/helpers.py TESTS/a.c test/lib.rb pkg/tests/data/a.json src/test/java/a/Helper.java
        test_a.py a_test.py a/test-utils.ts tests.py src/lib/tests.rs a_test.go a_unittest.cc
        a.test.ts a.spec.tsx a_spec.rb spec/support/a.rb a-spec.js a_spec.lua a.e2e.ts a.cy.js
        FooTest.java FooTests.cs HTTPTest.kt FooTestCase.php TestFoo.java TestsOfFoo.cs FooSpec.scala
        FooIT.java AppTests/A.swift App.Tests/A.cs App.UnitTests/A.cs app/src/androidTest/a/B.kt
        lib/src/testFixtures/a/B.java integration-tests/run.sh unit_test/a.c polymorphic-tests/a.php
        __tests__/a.js __snapshots__/a.js.snap cypress/a.js testdata/a.txt a/b.t a.bats a_SUITE.erl
        ebin/a_SUITE.erl lib/test/unit.rb src/test/a.py
        """,
    FileKind.CODE: """
        latest.py contest.py attest/a.go fastest.rs testing.py src/testing/a.py unittest/mock.py
        src/_pytest/fixtures.py django/test/client.py django/test/utils.py numpy/testing/a.py
        src/main/java/org/springframework/test/TestContext.java src/main/java/a/FooTest.java
        job_spec.py openapi/spec/types.go Test.java AUDIT.java UNIT.java a.py Makefile Dockerfile
        CMakeLists.txt src/doc/render.py go/doc/a.go install.sh history.py todo.ts test.py egg-info
        """,
    FileKind.DOCS: """
        README README.md CHANGELOG LICENSE-MIT docs/conf.py a/docs/b.html doc/manual.c notes.txt
        a.rst GUIDE.adoc test_plan.md COPYING
        """,
    FileKind.DATA: """
        package.json a.yml a/b.YAML pyproject.toml data.csv pom.xml .editorconfig locale/de.po
        requirements.txt requirements-dev.in constraints.txt icon.svg config/test.json
        """,
}


@pytest.mark.parametrize(
    ('path', 'kind'), [(path, kind) for kind, paths in KINDS.items() for path in paths.split()]
)
def test_the_kind_of_a_file(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind
