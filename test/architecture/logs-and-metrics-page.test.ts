import { describe, expect, it } from 'vitest'
import { readDocumentedFields, readDocumentedMessages } from '#test/support/documented-log.ts'
import { listLogCalls, listThrottledLogs } from './log-calls.ts'

const calls = listLogCalls()
const logged = calls.flatMap(({ messages, ...call }) =>
  (messages ?? []).map((message) => ({ message, ...call })),
)
const documented = readDocumentedMessages()
const findRow = (message: string) => documented.find((row) => row.message === message)

/** Places where a function logs a message that its caller passes. The test finds the callers too. */
const forwarders = [
  'gateway/observability/log-pino.ts: message',
  'gateway/observability/log.ts: message',
  'migration/control/follow-database.ts: failure',
]

describe('docs/logs-and-metrics.md', () => {
  it('lists every logged message with its level', () => {
    expect(logged.length).toBeGreaterThan(100)
    const missing = logged.filter(({ message, level }) => findRow(message)?.level !== level)
    expect(missing.map(({ file, level, message }) => `${file}: ${level} ${message}`)).toEqual([])
  })

  it('lists every logged field, either with its message or in the table of fields', () => {
    const fields = readDocumentedFields()
    const missing = logged.flatMap(({ message, fields: stated }) =>
      stated
        .filter((field) => ![...fields, ...(findRow(message)?.names ?? [])].includes(field))
        .map((field) => `${message}: ${field}`),
    )
    expect(missing).toEqual([])
  })

  it('lists no message twice, and no message that is never logged', () => {
    const messages = documented.map(({ message }) => message)
    expect(messages.filter((message, index) => messages.indexOf(message) !== index)).toEqual([])
    expect(messages.filter((message) => !logged.some((line) => line.message === message))).toEqual([])
  })
})

it('every log message is a literal, except in functions that log what their callers pass', () => {
  const computed = calls.filter(({ messages }) => messages === null)
  const places = computed.map(({ file, expression }) => `${file}: ${expression}`)
  expect([...new Set(places)].sort()).toEqual(forwarders)
})

it('every throttled log function is named logThrottled, so that its calls can be found', () => {
  const names = listThrottledLogs()
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter(({ name }) => name !== 'logThrottled')).toEqual([])
})
