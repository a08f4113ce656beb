import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zocker } from 'zocker'
import type { Label } from '#contracts/route-table.ts'
import type { Rules } from '#migration/diff/judge.ts'
import { learnNoise, unknownNoise } from '#migration/diff/noise.ts'
import type { Blame, Difference, Verdict } from '#migration/diff/verdict.ts'
import { countCases, sampleCases } from '#test/support/count-cases.ts'
import {
  addOwnerId,
  dropField,
  listFields,
  listObjects,
  listSequences,
  pathOf,
  regenerateBody,
  renameField,
  replaceType,
  replaceValue,
  reverseArray,
  type Spot,
} from '../mutations.ts'
import {
  compare,
  contractOf,
  deterministicCoreRules,
  documentedBodies,
  recordedResponse,
  rules,
} from '../responses.ts'

const runs = { numRuns: countCases(3, 1 / 3) }

interface Generated {
  readonly label: Label
  readonly status: number
  readonly body: unknown
}

type Documented = (typeof documentedBodies)[number]

const forEachBody = ({ contract, status, schema }: Documented, check: (generated: Generated) => void) =>
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const body = JSON.parse(JSON.stringify(schema.parse(zocker(schema).setSeed(seed).generate())))
      check({ label: contract.label, status, body })
    }),
    runs,
  )

// Checks one spot per path, because all elements of an array share one path.
const forEachSpot = (
  documented: Documented,
  spotsIn: (body: unknown) => readonly Spot[],
  check: (generated: Generated, spot: Spot) => void,
) =>
  forEachBody(documented, (generated) => {
    const spots = new Map(spotsIn(generated.body).map((spot) => [pathOf(spot.steps), spot]))
    for (const spot of spots.values()) check(generated, spot)
  })

// A response with the headers that the contract declares, which are equal on both sides.
const respond = ({ label, status }: Pick<Generated, 'label' | 'status'>, body: unknown) => {
  const names = Object.keys(contractOf(label).headers?.[status] ?? {})
  return recordedResponse(status, body, Object.fromEntries(names.map((name) => [name, 'unchanged'])))
}

const nativeChanged = (
  { label, status, body }: Generated,
  mutant: unknown,
  overrides: Rules = deterministicCoreRules,
): Verdict => compare(label, respond({ label, status }, mutant), respond({ label, status }, body), overrides)

// The core first returns the changed body, then, when the request is repeated, the unchanged one.
const coreChanged = ({ label, status, body }: Generated, mutant: unknown): Verdict => {
  const [right, wrong] = [respond({ label, status }, body), respond({ label, status }, mutant)]
  return compare(label, right, wrong, { noise: learnNoise(unknownNoise, contractOf(label), wrong, right) })
}

const expectOne = ({ differences }: Verdict, expected: Partial<Difference> & { readonly blame: Blame }) =>
  expect(differences).toContainEqual(expect.objectContaining(expected))

// Issues are matched by their path, whatever their order.
const isKeyed = (steps: Spot['steps']) => steps.at(-1) === 'validationErrors'

describe.each(sampleCases(documentedBodies, 0.25))('compareResponses for $name', (documented) => {
  it('finds no difference from an equal body', () => {
    forEachBody(documented, (generated) => {
      expect(nativeChanged(generated, structuredClone(generated.body))).toMatchObject({
        class: 'equal',
        differences: [],
      })
    })
  })

  it('finds no difference from a body with different generated ids and times', () => {
    forEachBody(documented, (generated) => {
      const anew = regenerateBody(documented.schema, generated.body)
      expect(nativeChanged(generated, anew).differences).toEqual([])
    })
  })

  it('reports each missing field', () => {
    forEachSpot(documented, listFields, (generated, { steps }) => {
      const mutant = dropField(generated.body, steps)
      const path = pathOf(steps)
      expectOne(nativeChanged(generated, mutant), {
        kind: 'missing',
        path,
        class: 'regression',
        blame: 'native',
      })
      expectOne(coreChanged(generated, mutant), { kind: 'extra', path, blame: 'core' })
    })
  })

  it('reports each renamed field', () => {
    forEachSpot(documented, listFields, (generated, { steps }) => {
      const mutant = renameField(generated.body, steps)
      const path = pathOf(steps)
      const undeclaredPath = pathOf([...steps.slice(0, -1), '?'])
      const verdict = nativeChanged(generated, mutant)
      expectOne(verdict, { kind: 'missing', path, class: 'regression', blame: 'native' })
      expectOne(verdict, { kind: 'extra', path: undeclaredPath, blame: 'native' })
      const drift = coreChanged(generated, mutant)
      expectOne(drift, { kind: 'extra', path, blame: 'core' })
      expectOne(drift, { kind: 'missing', path: undeclaredPath, blame: 'core' })
    })
  })

  it('reports each field with a different type', () => {
    forEachSpot(documented, listFields, (generated, { steps, value }) => {
      const mutant = replaceValue(generated.body, steps, replaceType(value))
      const path = pathOf(steps)
      expectOne(nativeChanged(generated, mutant), {
        kind: 'type',
        path,
        class: 'regression',
        blame: 'native',
      })
      expectOne(coreChanged(generated, mutant), {
        kind: 'type',
        path,
        class: 'not_comparable',
        blame: 'core',
      })
    })
  })

  it('reports each reordered array', () => {
    forEachSpot(documented, listSequences, (generated, { steps }) => {
      const mutant = reverseArray(generated.body, steps)
      const path = pathOf(steps)
      const { differences } = nativeChanged(generated, mutant)
      if (isKeyed(steps)) return expect(differences).toEqual([])
      expectOne(nativeChanged(generated, mutant), {
        kind: 'order',
        path,
        class: 'regression',
        blame: 'native',
      })
      expectOne(coreChanged(generated, mutant), { kind: 'order', path, blame: 'core' })
    })
  })

  it('reports an owner id that is added to any object as a leak', () => {
    forEachSpot(documented, listObjects, (generated, { steps }) => {
      if (steps.at(-1) === 'requiredHeaders') return
      const mutant = addOwnerId(generated.body, steps)
      const path = pathOf([...steps, '?'])
      expectOne(nativeChanged(generated, mutant), { kind: 'extra', path, class: 'critical', blame: 'native' })
      expectOne(coreChanged(generated, mutant), {
        kind: 'missing',
        path,
        class: 'not_comparable',
        blame: 'core',
      })
      const { label, status } = generated
      const both = compare(label, respond({ label, status }, mutant), respond({ label, status }, mutant))
      expectOne(both, { kind: 'schema', path, class: 'critical', blame: 'both' })
    })
  })

  it('reports a different status', () => {
    forEachBody(documented, ({ label, status, body }) => {
      for (const other of [203, 302, 404, 409, 500]) {
        const [right, wrong] = [respond({ label, status }, body), recordedResponse(other, body)]
        expectOne(compare(label, wrong, right, rules), {
          kind: 'status',
          class: 'regression',
          blame: 'native',
        })
        expectOne(compare(label, right, wrong, rules), {
          kind: 'status',
          class: 'not_comparable',
          blame: 'core',
        })
      }
    })
  })

  it("takes the core's status as the reference even if the core's body violates the contract", () => {
    forEachBody(documented, ({ label, status, body }) => {
      const success = respond({ label, status }, body)
      for (const refusal of [400, 404, 409, 422]) {
        const unlisted = recordedResponse(refusal, { error: 'no_such_code' })
        const expected = { kind: 'status', class: 'regression', blame: 'native' } as const
        expectOne(compare(label, success, unlisted, deterministicCoreRules), expected)
      }
      const broken = recordedResponse(500, { error: 'no_such_code' })
      expectOne(compare(label, success, broken, rules), { class: 'not_comparable', blame: 'core' })
    })
    forEachSpot(documented, listFields, ({ label, status, body }, { steps, value }) => {
      const odd = respond({ label, status }, replaceValue(body, steps, replaceType(value)))
      const refused = recordedResponse(404, { error: 'not_found' })
      expectOne(compare(label, refused, odd, deterministicCoreRules), {
        kind: 'status',
        class: 'regression',
        blame: 'native',
      })
    })
  })
})
