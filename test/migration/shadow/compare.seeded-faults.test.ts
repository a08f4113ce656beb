import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { compareUntilAlarm } from '#test/migration/model/gate/simulate-gate.ts'
import { simulate } from '#test/migration/model/stop/simulate.ts'
import { type ProxiedResponse, startBothSides } from '#test/migration/parity/run/two-sides.ts'
import { allFaults } from '#test/migration/seeded-faults/all-faults.ts'
import type { SeededFault } from '#test/migration/seeded-faults/fault.ts'
import { createFaultRun } from '#test/migration/seeded-faults/run-with-fault.ts'
import { copied, describeResult, openComparer, shadowedRequest } from './comparer-fixtures.ts'

interface Changed {
  readonly label: Label
  readonly path: string
  readonly before: ProxiedResponse
  readonly after: ProxiedResponse
}

// Without a response there is nothing to compare, and a wrongly stored value shows only in a later response.
const showsLater = / at [\w.-]+ (?:body|status)/
const faults = allFaults.filter(
  ({ tampering, found }) => tampering.response && !found.includes(', failed,') && !showsLater.test(found),
)

// Noise can be detected only by repeating a request, which a confirmation does later.
const expectedOf = ({ found }: SeededFault) =>
  found
    .replace(/^\S+: /, '')
    .replace(/, blame \w+$/, '')
    .replace(', noise', ', regression')

/** The most severe class that the child process found for each fault of native. */
const found: ('regression' | 'critical')[] = []

describe.concurrent('a comparison of a response with a fault', { timeout: 60_000 }, () => {
  const sides = startBothSides()
  const run = createFaultRun(sides)
  const { compare } = openComparer(sides.gateway)

  /** Records the responses that the fault changed, before and after the change. */
  const record = async ({ on, scenario, tampering }: SeededFault) => {
    const changed: Changed[] = []
    await run({
      wanted: [scenario],
      fault: {
        on,
        tampering: {
          ...tampering,
          response: (before, request) => {
            const after = tampering.response?.(before, request) ?? before
            const isChanged = after !== 'hang-up' && JSON.stringify(after) !== JSON.stringify(before)
            if (isChanged && request.label)
              changed.push({ label: request.label, path: request.path, before, after })
            return after
          },
        },
      },
    })
    return changed
  }

  const asCopied = ({ status, headers, text }: ProxiedResponse, own: Readonly<Record<string, string>>) => {
    const passed = Object.entries(headers).filter(([name]) => !name.startsWith('x-service-'))
    return { ...copied(status, text), headers: [...Object.entries(own), ...passed].flat() }
  }

  it('is tested with more than 100 faults', () => {
    expect(faults.length).toBeGreaterThan(100)
  })

  it.each(faults.map((fault) => [fault.title, fault.on, fault] as const))(
    'has the same verdict as a contract run for %s on the %s side',
    async (_title, on, fault) => {
      const changed = await record(fault)
      expect(changed.length).toBeGreaterThan(0)
      const { label, path, before, after } = changed.at(-1)!
      const own = before.headers['cache-control'] === undefined ? { 'cache-control': 'no-store' } : {}
      const native = asCopied(on === 'native' ? after : before, on === 'native' ? {} : own)
      const core = asCopied(on === 'native' ? before : after, {})
      const result = await compare({ kind: 'compare', label, request: shadowedRequest(path), native, core })
      if (after.status === 429) expect(result).toEqual({ kind: 'not_comparable', reason: 'rate_limited' })
      else if (result.kind === 'not_comparable') expect(expectedOf(fault)).toMatch(/, not_comparable$/)
      else {
        const expected = expectedOf(fault)
        // If a token or its preview has a wrong format, the two also differ from each other.
        const ofPreview = expected.replace(/^format/, 'value')
        expect(describeResult(result).filter((found) => found === expected || found !== ofPreview)).toEqual([
          expected,
        ])
      }
      if (result.kind !== 'compared' || on !== 'native') return
      if (result.class === 'regression' || result.class === 'critical') found.push(result.class)
    },
  )
})

describe('100 runs with these faults on native', () => {
  it.each([
    [1, 10],
    [0.1, 150],
    [0.01, 2000],
  ])('with a fault rate of %d, at least 95 are stopped within %d comparisons', (rate, limit) => {
    expect(found.length).toBeGreaterThan(50)
    // Sorted, so that the order does not depend on which test ended first.
    const verdicts = found.toSorted()
    const draw = (random: () => number) => verdicts[Math.floor(random() * verdicts.length)] ?? 'regression'
    const regressionsOnly = simulate(100, (random) => compareUntilAlarm(random, rate))
    const drawn = simulate(100, (random) => compareUntilAlarm(random, rate, draw))
    for (const counts of [regressionsOnly, drawn])
      expect(counts.filter((count) => count <= limit).length).toBeGreaterThanOrEqual(95)
  })
})
