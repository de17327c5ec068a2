"""Cutting HTML and components."""

from __future__ import annotations

from inline_snapshot import snapshot

from tests.snippets.cuts import cut


def test_a_component_is_cut_by_the_language_of_each_part() -> None:
    assert cut(
        'Card.vue',
        """
        <script setup lang="ts">
        import { ref } from 'vue'

        function toggle() {
          open.value = !open.value
          emit('toggle')
        }
        </script>

        <template>
          <div class="card">
            <p>Hello</p>
            <!-- <script>
            -->
          </div>
        </template>

        <style scoped>
        @keyframes spin {
          from { rotate: 0deg }
          to { rotate: 360deg }
        }
        </style>
        """,
    ) == snapshot("""\
1-2
4-8 toggle
10-16
18-23 spin\
""")


def test_a_script_that_is_never_closed_is_markup() -> None:
    assert cut('a.html', '<script>\nfunction f() {\n}\n') == '1-3'


def test_a_file_that_is_all_script_has_no_markup() -> None:
    assert cut('a.svelte', '<script>\n  function f() {\n    g()\n  }\n</script>\n') == snapshot(
        '1-5 f'
    )


def test_a_long_page_is_cut_by_its_elements() -> None:
    items = '\n'.join(f'    <li>{n}</li>' for n in range(25))
    text = f'<html>\n<body>\n  <ul>\n{items}\n  </ul>\n  <ol>\n{items}\n  </ol>\n</body>\n</html>\n'
    assert cut('a.html', text) == snapshot("""\
1-29
30-58\
""")
