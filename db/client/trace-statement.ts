import { activeTrace, inSpan, type SpanStart } from '#shared/tracing/trace.ts'

interface StatementSpan {
  readonly name: string
  readonly start: SpanStart
}

const system = { 'db.system.name': 'postgresql' }
const maxTextLength = 2000
const tablePattern = /\b(?:from|into|update) ("[\w.]+"|[\w.]+)(\."\w+")?/

const describe = (text: string): StatementSpan => {
  const [operation = ''] = /^\w+/.exec(text.trimStart()) ?? []
  const [, first = '', second = ''] = tablePattern.exec(text) ?? []
  const table = `${first}${second}`.replaceAll('"', '')
  return {
    name: [operation, table].filter(Boolean).join(' ') || 'statement',
    start: {
      kind: 'client',
      attributes: {
        ...system,
        'db.operation.name': operation || undefined,
        'db.collection.name': table || undefined,
        // Values are parameters, which no span contains.
        'db.query.text': text.slice(0, maxTextLength),
      },
    },
  }
}

const maxDescribedTexts = 1000
// Longer ones are lists of variable length, whose texts would use memory without being sent again.
const maxDescribedLength = 4096
const described = new Map<string, StatementSpan>()

// The service has few different texts.
const describeOnce = (text: string): StatementSpan => {
  if (text.length > maxDescribedLength) return describe(text)
  const known = described.get(text)
  if (known) return known
  if (described.size >= maxDescribedTexts) described.clear()
  const span = describe(text)
  described.set(text, span)
  return span
}

/** Runs a statement in a span of the active trace, which includes the time until a connection is free. */
export const traceStatement = <T>(text: string, send: () => Promise<T>): Promise<T> => {
  if (!activeTrace()?.span) return send()
  const { name, start } = describeOnce(text)
  return inSpan(name, send, start)
}

/** Runs a transaction in a span of the active trace, which includes the time until a connection is free. */
export const traceTransaction = <T>(run: () => Promise<T>): Promise<T> =>
  inSpan('transaction', run, transactionStart)

const transactionStart: SpanStart = { kind: 'client', attributes: system }
