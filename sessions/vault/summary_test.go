package vault

import (
	"strings"
	"testing"
)

// No line of a summary means anything to Markdown's structure, to a template engine, or to a comment.
func TestCleanSummary(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""}, {" \n\t\r\n ", ""}, {"  one line ", "one line"},
		{"a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"},
		{"a\n\n\n\nb\n\n", "a\n\nb"},
		{"tab\there\x00\x1b[31m", "tab here[31m"},
		{"bad \xff", "bad \uFFFD"},
		{"# heading\n## Summary\n  ### deep\n#tag", "\\# heading\n\\## Summary\n  \\### deep\n\\#tag"},
		{"a\n---\nb\n===\nc\n-", "a\n\\---\nb\n\\===\nc\n\\-"},
		{"* * *\n___\n- - -", "\\* * *\n\\___\n\\- - -"},
		{"```dataviewjs\nx\n~~~", "\\```dataviewjs\nx\n\\~~~"},
		{"- a list\n1. numbers\n> quote\n[[link]] `code` **bold** 50%", "- a list\n1. numbers\n> quote\n[[link]] `code` **bold** 50%"},
		{"<% tp.run() %> {{date}} {{{x}}}", "<\\% tp.run() %> {\\{date}} {\\{\\{x}}}"},
		{"100 %% hidden <!-- hidden `$= dv.x`", "100 %\\% hidden <\\!-- hidden `\\$= dv.x`"},
		{"项目 🚀 ünïcode", "项目 🚀 ünïcode"},
	} {
		if got := strings.Join(cleanSummary(tt.in), "\n"); got != tt.want {
			t.Errorf("cleanSummary(%q)\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

// Where the summary goes, and what of the section stays (hazard 33).
func TestSummarySection(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"placeholder gives way", "## Summary\n\n_(later)_\n\n## Log\n", "## Summary\n\nSUM\n\n## Log"},
		{"placeholder with stars", "## Summary\n*to do*\n## Log\n", "## Summary\n\nSUM\n\n## Log"},
		{"empty section", "## Summary\n## Log\n", "## Summary\n\nSUM\n\n## Log"},
		{"many empty lines", "## Summary\n\n\n\n## Log\n", "## Summary\n\nSUM\n\n## Log"},
		{"last section", "x\n## Summary\n", "x\n## Summary\n\nSUM"},
		{"last section with a placeholder", "## Summary\n\n_(later)_\n\n\n", "## Summary\n\nSUM"},
		{"last section with text", "## Summary\ntext\n", "## Summary\n\nSUM\n\ntext"},
		{"trailing blanks and case", "## SUMMARY  \nx\n", "## SUMMARY\n\nSUM\n\nx"},
		{"prose stays", "## Summary\n\nMine.\n\n## Log\n", "## Summary\n\nSUM\n\nMine.\n\n## Log"},
		{"italics in prose stay", "## Summary\n\n_a_ and _b_\n", "## Summary\n\nSUM\n\n_a_ and _b_"},
		{"a paragraph in italics over two lines stays", "## Summary\n\n_(a)_\nb\n", "## Summary\n\nSUM\n\n_(a)_\nb"},
		{"bold stays", "## Summary\n\n**bold**\n", "## Summary\n\nSUM\n\n**bold**"},
		{"sub-heading and code stay", "## Summary\n\n_(later)_\n\n### Details\n\n```\n## no\n```\n", "## Summary\n\nSUM\n\n### Details\n\n```\n## no\n```"},
		{"heading in code is none", "```\n## Summary\n```\n\n## Summary\n\nx\n", "```\n## Summary\n```\n\n## Summary\n\nSUM\n\nx"},
		{"tilde fence, longer close", "~~~\n```\n## Summary\n~~~~\n## Summary\nx\n", "~~~\n```\n## Summary\n~~~~\n## Summary\n\nSUM\n\nx"},
		{"only the first", "## Summary\n\n## Summary\n\n", "## Summary\n\nSUM\n\n## Summary"},
		{"another heading", "## Summary of all\n\n### Summary\n", "## Summary of all\n\n### Summary"},
		{"no heading", "text\n", "text"},
		{"a mark of a resume stays", "## Summary\n\n---\n\n## Session resumed — x\n", "## Summary\n\nSUM\n\n---\n\n## Session resumed — x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edit, err := planText(t, noteText("", tt.body), "SUM")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(edit.After), ended("", tt.want+endBlock("SUM")); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Several lines stay several lines, in both places, with the file's line ends.
func TestSummaryLines(t *testing.T) {
	text := strings.ReplaceAll(noteText("", "## Summary\n"), "\n", "\r\n")
	edit, err := planText(t, text, "one\n\ntwo\n# three")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(ended("", "## Summary\n\none\n\ntwo\n\\# three"+endBlock("one\n\ntwo\n\\# three")), "\n", "\r\n")
	if got := string(edit.After); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// A file name is a stranger's text as well.
func TestLinkName(t *testing.T) {
	for key, want := range map[string]string{
		"a/Note.md": "Note", "x.y.md": "x.y", "<% x %>.md": "<\\% x %>", "{{a}}.md": "{\\{a}}", "two\nlines.md": "twolines", "\xff.md": "\uFFFD",
	} {
		if got := linkName(key); got != want {
			t.Errorf("linkName(%q) = %q, want %q", key, got, want)
		}
	}
}
