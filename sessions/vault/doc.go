// Package vault reads, begins and ends the work sessions that Kioku (github.com/sandovaldavid/kioku, releases
// 2.x and 3.x) keeps as Markdown notes in a vault. It knows the layout; what a note's status means
// beside other notes is the business of package sessions.
//
// # What is a session
//
// Any *.md file whose frontmatter has the key type with the value session (both without regard to case),
// anywhere in the vault, except below dot-folders and the folders that exclude names in
// .kioku/config.yml. Symbolic links are not followed, as Kioku does not follow them either. The
// identity is session_id; a note of Kioku 2.x has none.
//
// Frontmatter begins with a first line --- and ends with the next line ---; trailing blanks are allowed
// on both, a byte order mark may come first. Keys are matched without regard to case. Of keys that differ
// only in case the first counts for type, status and dates, the last for all others, as in Kioku. A
// status other than active, in any case but without blanks around it, is shown as written and is not
// active; so is a list.
//
// A note that a person would call a session, but whose YAML cannot be relied on (syntax, a key twice,
// several documents, no closing fence, longer than 1 MiB), is a row with a problem. Kioku does not see
// such a note at all.
//
// # What is written
//
// [Source.CloseSession] and [Source.MarkResumed] do what Kioku's end_work_session and resume do to an
// active note. The YAML is parsed to find and to check, and never written back: bytes are spliced in
// place, so comments, order, quoting and foreign keys stay. The result is parsed again before it is
// written, and any other change than the intended one stops the write.
//
// [Source.StartSession] begins a session as start_work_session does: the same keys in the same order and quoting, and
// the same file name. The note is made whole or not at all, and never over a file that is there. Of a project only the
// folders on the way to the note are made; Kioku's scaffold makes the rest when it first works there. The vault's own
// session template is used; those that Kioku can set for folders of global sessions are not. [Source.Restore] puts the
// bytes from before an edit of ours back.
//
// Where we depart from Kioku on purpose:
//
//   - The block at the end has the file's own line ending, and a byte order mark stays.
//   - A summary replaces only the placeholder below "## Summary" (one line in italics, or nothing).
//     Whatever else somebody wrote there stays, below the new summary: prose, code, sub-headings. A
//     heading inside a code block is not a heading.
//   - A summary cannot bring headings, rules, fences, comments or template marks into the note: they are
//     escaped with a backslash, which Markdown does not show.
//   - A new note whose name is taken gets the last, random digits of its id into the name, where Kioku takes the first,
//     which are the time; with more luck needed, it gets a new id. A project or client that reads as a number is quoted.
//     The values of a template are filled in once and escaped like a summary; a name makes no folders.
//   - A note that is linked to a work item, has hard links, is read-only, or whose YAML is in a form in
//     which we cannot name the bytes to change, is refused with the reason.
//
// # Locks
//
// Every write holds a lock of our own, keyed by session id, so that two of us never interleave. Where
// the vault has a .kioku folder it also holds the lock of the note that Kioku takes
// (.kioku/coordination/runtime/locks/resources/<hash>.lock). Kioku reads before it locks, so the last
// look at the file comes right before the rename.
//
// # Limits
//
// Kioku does not compare before it replaces. A Kioku that had read a note before we wrote it, and replaces it after
// that, takes our change away; we look a second later ([Config].Recheck) and make the change again on top of what it
// left. What cannot be protected: a Kioku, or an editor, that holds an older reading for longer than that; the bytes
// that such a program itself drops; and, on file systems without locks or renames that are atomic (network disks, synced
// folders), two writers at the same moment. A crash leaves the old note or the new one, and at most a hidden temp file.
package vault
