import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import { mutate } from '#dev/contract/mutants/mutate.ts'
import { mutateSources } from '#dev/contract/mutants/sources.ts'

const declare = (expression: string) => `export const made = ${expression}\n`

/** What each mutant turns an expression into. */
const mutantsOf = (expression: string) => {
  const source = declare(expression)
  const before = declare('').trimEnd().length + 1
  return mutate('made.ts', source).mutants.map(({ start, end, text, operator }) => {
    const mutated = source.slice(0, start) + text + source.slice(end)
    return `${operator}: ${mutated.slice(before).trim().replaceAll('__mutants.sql.', '')}`
  })
}

describe('the mutants of an expression', () => {
  it.each([
    [
      'and(a, b)',
      [
        'drop term: and(b)',
        'drop term: and(a)',
        'negate term: and(not(a), b)',
        'negate term: and(a, not(b))',
        'logical: or(a, b)',
      ],
    ],
    ['eq(a, b)', ['comparison: ne(a, b)']],
    ['gte(a, b)', ['comparison: gt(a, b)']],
    ['desc(a)', ['order: asc(a)']],
    ['db.where(a)', ['drop where: db', 'negate term: db.where(not(a))']],
    ['db.orderBy(a, b)', ['drop orderBy: db', 'drop order: db.orderBy(b)', 'drop order: db.orderBy(a)']],
    ['a.b ?? null', ['drop default: a.b']],
    ['a && b', ['logical: (a) || (b)', 'drop term: a', 'drop term: b']],
    ['a < b', ['operator: (a) <= (b)']],
    ['a === b', ['operator: (a) !== (b)']],
    ['a ? b : c', ['conditional: b', 'conditional: c']],
    ['exists(db.select({ id: a.id }).from(b))', ['comparison: notExists(db.select({ id: a.id }).from(b))']],
    ['!a', ['negation: a']],
    ['Math.round(a)', ['drop rounding: a']],
    ['Math.min(a, b)', ['method: Math.max(a, b)']],
    ['50', ['number: 51', 'number: 49']],
    ['({ a, ...b })', ['drop field: ({ ...b })', 'drop field: ({ a })']],
    ['b.values({ a, c: null })', ['drop field: b.values({ c: null })']],
    ['b.set({ a, c: null })', ['drop field: b.set({ c: null })', 'drop field: b.set({ a })']],
    ['true', ['boolean: false']],
  ])('for %s are %j', (expression, expected) => {
    expect(mutantsOf(expression)).toEqual(expected)
  })

  it.each([
    ['a[0]', 'the index of an element'],
    ["a + 'text'", 'a text'],
    ['row ?? null', 'whether a row was found'],
    ['a?.b.trim().c', 'a part of an optional chain'],
    ['a.valueOf()', 'a name that every object has'],
    ["() => log.warn({ a, b }, 'late')", 'what is logged'],
    ['() => ports.log.info({ a: 1 })', 'what is logged'],
    ['row?.count ?? 0', 'the default of a count'],
  ])('do not exist for %s (%s)', (expression) => {
    expect(mutantsOf(expression)).toEqual([])
  })
})

const interpolate = (text: string) => text.replaceAll(/#(\w+)/g, (_, name) => `$\{${name}}`)

describe('the mutants of an SQL statement', () => {
  it.each([
    ['sql`coalesce(x, 0)`', 'sql drop default: sql`coalesce(x)`'],
    ['sql`#a is null and #b > now()`', 'sql drop term: sql`#a is null`'],
    ['sql`(#a is null or #b)`', 'sql drop term: sql`(#b)`'],
    ['sql`#a <= #b`', 'sql comparison: sql`#a < #b`'],
    ['sql`order by x desc`', 'sql order: sql`order by x asc`'],
    ['sql`limit 10`', 'sql number: sql`limit 11`'],
    ['sql<number>`max(x)`', 'sql extreme: sql<number>`min(x)`'],
  ])('for %s include %s', (statement, expected) => {
    expect(mutantsOf(interpolate(statement))).toContain(interpolate(expected))
  })

  it('leave literals and expressions alone', () => {
    expect(mutantsOf(interpolate("sql`select 'a = 1 or b' #and`"))).toEqual([])
  })

  it('leave what `exists` selects alone', () => {
    expect(mutantsOf('sql`exists (select 1 from a)`')).toEqual([
      'sql negation: sql`not exists (select 1 from a)`',
    ])
  })

  it('leave `->` and `::` alone', () => {
    expect(mutantsOf("sql`x->>'a'::text`")).toEqual([])
  })
})

describe('the mutants of statements', () => {
  it.each([
    ["log.warn({}, 'late')", []],
    ['body satisfies Change', []],
    ['write(body) satisfies Change', ['skip statement']],
    ['await write(body)', ['skip statement']],
  ])('for %s are %j', (statement, expected) => {
    const source = `export const change = async (body, log) => {\n  ${statement}\n}\n`
    expect(mutate('change.ts', source).mutants.map(({ operator }) => operator)).toEqual(expected)
  })
})

describe('the mutated source', () => {
  const source = `export const change = async (tx, a) => {
  if (a) await write(tx)
  else await remove(tx)
}
`
  const { mutants, text } = mutate('change.ts', source)

  const run = async (a: boolean, on?: string) => {
    const done: string[] = []
    const isOn = (id: string) => id === on
    const load = new Function(
      '__mutants',
      'write',
      'remove',
      `${text.replace('export const change =', 'const change =')}; return change`,
    )
    const change = load(
      { isOn, enter: () => {} },
      () => done.push('write'),
      () => done.push('remove'),
    )
    await change(null, a)
    return done
  }
  const idOf = (operator: string, replaced: string) =>
    mutants.find(
      (mutant) => mutant.operator === operator && source.slice(mutant.start, mutant.end) === replaced,
    )?.id

  it('behaves the same while no mutant is active', async () => {
    expect([await run(true), await run(false)]).toEqual([['write'], ['remove']])
  })

  it("can skip a statement and still run its condition's else branch", async () => {
    const skipped = idOf('skip statement', 'await write(tx)')
    expect([await run(true, skipped), await run(false, skipped)]).toEqual([[], ['remove']])
  })

  it('can make a condition always true', async () => {
    const always = mutants.find(
      ({ operator, text: mutated }) => operator === 'conditional' && mutated === 'true',
    )
    expect(await run(false, always?.id)).toEqual(['write'])
  })

  it('keeps the ids of mutants when other parts of the file change', () => {
    const later = mutate('change.ts', `const other = 1\n${source}`).mutants.map(({ id }) => id)
    expect(later).toEqual(expect.arrayContaining(mutants.map(({ id }) => id)))
  })
})

describe('the handlers and queries', () => {
  const { mutants, texts, handlers, originals } = mutateSources()

  it('remain valid TypeScript with all mutants in them', () => {
    const invalid = Object.entries(texts).filter(([, text]) => {
      try {
        stripTypeScriptTypes(text)
        return false
      } catch {
        return true
      }
    })
    expect(invalid).toEqual([])
  })

  it('have mutants with distinct ids', () => {
    expect(mutants.length).toBeGreaterThan(3000)
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
  })

  it('include the handler of each two-sided route', () => {
    expect(handlers.get('libraries.list')).toBe('native-routes/libraries/list.ts#listLibraries')
    for (const handler of handlers.values()) expect([...originals.keys()]).toContain(handler.split('#')[0])
  })
})
