import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Citation, Finding, maxFindings } from '#contracts/shared/catalog-findings.ts'
import { openDatabase } from '#db/client/connection.ts'
import { ToolInputError } from '#native-routes/catalog-analysis/tools/define-tool.ts'
import { tools } from '#native-routes/catalog-analysis/tools/index.ts'
import { useSeededCatalog } from '#test/support/catalog/use-seeded-catalog.ts'

const { database, scope } = useSeededCatalog()

const inputs: Readonly<Record<string, object>> = {
  search_tracks: { text: 'Song' },
  track_readiness: { trackId: 'alice_track_00001' },
}
const inputOf = (name: string) => inputs[name] ?? {}
const limited = tools.filter(({ input }) => 'limit' in input.shape)

const listsIn = (value: unknown): unknown[][] => {
  if (Array.isArray(value)) return [value, ...value.flatMap(listsIn)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listsIn) : []
}

const isInputError = (error: unknown) => error instanceof ToolInputError

it('there are seven tools, all with valid function names', () => {
  const names = tools.map(({ name }) => name)
  expect(new Set(names).size).toBe(7)
  for (const name of names) expect(name).toMatch(/^[a-z_]{1,64}$/)
})

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  it('rejects unknown fields, and so does the schema that the model gets', async () => {
    const input = { ...inputOf(name), accountId: 'bob_owner' }
    await expect(tool.run(scope(), input)).rejects.toSatisfy(isInputError)
    expect(z.toJSONSchema(tool.input, { io: 'input' })).toMatchObject({ additionalProperties: false })
  })

  it.each([[null], ['text'], [[]], [undefined]])('rejects %j as input', async (input) => {
    await expect(tool.run(scope(), input)).rejects.toSatisfy(isInputError)
  })

  it('repeats no value of an invalid input in its error', async () => {
    const input = { ...inputOf(name), limit: 'secret-value', trackId: ['secret-value'], 'secret-key': 1 }
    const error = await tool.run(scope(), input).catch((thrown: Error) => thrown)
    expect(String(error)).toContain('ToolInputError')
    expect(String(error)).not.toMatch(/secret/)
  })

  it('returns nothing from another account with an identical catalogue', async () => {
    const result = JSON.stringify(await tool.run(scope(), inputOf(name)))
    expect(result).toContain('alice')
    expect(result).not.toContain('bob')
  })

  it('cites the subject of every finding, and cites nothing that it has not returned', async () => {
    const { output, findings, citations } = await tool.run(scope(), inputOf(name))
    expect(findings.length).toBeLessThanOrEqual(maxFindings)
    z.array(Finding).parse(findings)
    const cited = z
      .array(Citation)
      .parse(citations)
      .map(({ type, id }) => `${type} ${id}`)
    expect(new Set(cited).size).toBe(cited.length)
    for (const { subject } of findings) expect(cited).toContain(`${subject.type} ${subject.id}`)
    const returned = JSON.stringify({ output, findings })
    for (const { id } of citations) expect(returned).toContain(`"${id}"`)
  })

  it('runs on a read-only database connection', async () => {
    const { url, prepare } = database()
    const opened = openDatabase(url, { connections: 1, prepare, readOnly: true })
    try {
      await expect(tool.run({ ...scope(), db: opened.reader }, inputOf(name))).resolves.toBeDefined()
    } finally {
      await opened.close()
    }
  })
})

describe.each(limited.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  it.each([[0], [51], [1.5], ['10']])('rejects a limit of %j', async (limit) => {
    await expect(tool.run(scope(), { ...inputOf(name), limit })).rejects.toSatisfy(isInputError)
  })

  it.each([[1], [3], [50]])('lists at most ten records, or its limit of %j if greater', async (limit) => {
    const { output } = await tool.run(scope(), { ...inputOf(name), limit })
    const longest = Math.max(...listsIn(output).map(({ length }) => length))
    expect(longest).toBeLessThanOrEqual(Math.max(limit, 10))
    expect(JSON.stringify(output).length).toBeLessThan(100_000)
  })
})
