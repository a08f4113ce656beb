/** A word or phrase that the project has another term for. */
export interface BannedTerm {
  /** Matched in prose and in parts of identifiers, which are compared as words in lower case. */
  readonly term: RegExp
  readonly instead: string
  /** Literal uses: a line is searched without them. */
  readonly allowed?: readonly RegExp[]
  /** The files in which it is the right term. */
  readonly exceptIn?: RegExp
}

/** Terms that the rules of CONTRIBUTING.md exclude. */
export const bannedTerms: readonly BannedTerm[] = [
  { term: /\bexchanges?\b/, instead: 'request context, upstream request' },
  {
    term: /\banswer(?:s|ed|ing|er|able)?\b/,
    instead: 'response; return, respond',
    // The text of a catalogue analysis, as its contract names it.
    allowed: [/\bwrite-answer\b|\bwriteAnswer\b|`answer`|\.answer\b|\banswer(?=:)/g],
    exceptIn:
      /catalog-(?:analysis|findings)|accepted-api|analysis-(?:threads|messages|usage)|sandbox\/model\/|test\/support\/ask/,
  },
  { term: /\brefusals?\b/, instead: 'error, error response' },
  { term: /\b(?:hand|hands|handed|handing) on\b/, instead: 'forward, pass' },
  { term: /\b(?:give|gives|gave|given|giving) (?:away|back|up)\b/, instead: 'forward; release; abort, stop' },
  { term: /\bstamp(?:s|ed|ing)?\b/, instead: 'service headers' },
  { term: /\b(?:im)?patien(?:ce|t)\b/, instead: 'timeout' },
  { term: /\btake alone\b|\bloners?\b|\bjoin a line\b|\blines? up\b/, instead: 'acquire; waiter, queue' },
  { term: /\bcreate turns\b|\b(?:its|their) turn\b/, instead: 'slot, order' },
  { term: /\b(?:spends?|spent|spending|relieve[ds]?)\b/, instead: 'reserve, refund' },
  { term: /\brooms?\b/, instead: 'quota, space' },
  { term: /\bledgers?\b/, instead: 'effect tracker' },
  {
    term: /\blost jobs?\b/,
    instead: 'dead letter',
    // The name of the queue in the database.
    allowed: [/\blost-jobs\b/g],
  },
  { term: /\bsparing(?:ly)?\b/, instead: 'throttled' },
  { term: /\b(?:take|takes|took|taken|taking) in\b/, instead: 'process, record' },
  {
    term: /\b(?:settle[ds]?|settling)\b/,
    instead: 'sync, complete',
    allowed: [/\ballSettled\b/g],
  },
  { term: /\b(?:tell|tells|told|telling) of\b/, instead: 'sync, report' },
  { term: /\bstandings?\b/, instead: 'selected, resolved' },
  { term: /\bin good order\b/, instead: 'graceful shutdown, drain' },
  { term: /\bstops? the start\b/, instead: 'invalid configuration' },
  { term: /#(?:silence|listen|allow|broke)\b/, instead: '#pauseClient, #resumeClient, #extendDeadline' },
  { term: /\b(?:or end)\b/, instead: 'orExit' },
  { term: /\bcannot work\b/, instead: 'initialization failed' },
  { term: /\bnot kept\b/, instead: 'failed to write' },
  { term: /\bleads to no\b/, instead: 'cannot connect' },
  {
    term: /\bclaim room\b|\bstrangeness\b|\bbilling news\b|\baskers?\b|\bnull when taken\b/,
    instead: 'see the glossary',
  },
  { term: /\bdoubts?\b/, instead: 'connection error' },
  { term: /\bwould pass for\b/, instead: 'would be taken for' },
  {
    term: /\b(?:whoever|nobody|somebody)\b/,
    instead: 'the client, the caller, none',
    // The system's user without rights.
    allowed: [/`nobody`|'nobody:'|findNobodyUser|\/\/nobody@/g],
  },
  { term: /\bstands\b/, instead: 'is, has' },
  { term: /\blest\b/, instead: 'so that ... not' },
]
