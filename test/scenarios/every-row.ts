import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { isTwoSided, labels, rowOf } from '#contracts/shared/row.ts'
import type { Account } from '#migration/parity/run/account.ts'
import { defineScenario, type Scenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createLibrary, createPack, createTrack } from './fixtures/libraries.ts'

// All rows that both sides can serve. A run skips those that it does not serve natively.
const twoSidedLabels = labels.filter(isTwoSided)

const unknownId = '0190aaaa-0000-7000-8000-000000000000'

const listParamNames = (label: Label) =>
  Array.from(rowOf(label).path.matchAll(/:(\w+)/g), ([, name = '']) => name)

const fillParams = (label: Label, known: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(listParamNames(label).map((name) => [name, known[name] ?? unknownId]))

const needsActor = (label: Label) => rowOf(label).auth.startsWith('actor') && rowOf(label).auth !== 'actor?'

const hasBody = (label: Label) => {
  const contract: Contract = contracts[label]
  return contract.body !== undefined
}

const emptyBody = (label: Label) => (hasBody(label) ? { body: {} } : {})

const createUnauthenticatedScenarios = (label: Label): Scenario[] => [
  defineScenario(label, 401, 'without a token', () => ({ params: fillParams(label), ...emptyBody(label) })),
  defineScenario(label, 401, 'with an unsigned token', () => ({
    params: fillParams(label),
    headers: { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2N0X2FsaWNlIn0.' },
    ...emptyBody(label),
  })),
]

// Each function creates the resource of one scope and returns the path parameters that identify it.
const resourceCreators: Readonly<
  Record<string, (owner: Account) => Promise<Readonly<Record<string, string>>>>
> = {
  track: async (owner) => ({ trackId: (await createTrack(owner)).id }),
  library: async (owner) => ({ libraryId: (await createLibrary(owner)).id }),
  pack: async (owner) => ({ packId: (await createPack(owner)).id }),
}

const findResourceCreator = (label: Label) => resourceCreators[rowOf(label).scope?.split(':', 1)[0] ?? '']

const planFor = (label: Label) => (rowOf(label).auth.includes('+') ? { plan: 'pro' } : {})

const createNotFoundScenarios = (label: Label): Scenario[] => {
  const create = findResourceCreator(label)
  if (create === undefined) return []
  // The actor owns a resource of the same kind, which a query that ignores the id would find.
  const openActor = async ({ account }: ScenarioContext) => {
    const actor = await account(planFor(label))
    await create(actor)
    return actor
  }
  return [
    defineScenario(label, 404, 'with an unknown id', async (context) => ({
      as: await openActor(context),
      params: fillParams(label),
      ...emptyBody(label),
    })),
    defineScenario(label, 404, 'with the id of another account, as for an unknown id', async (context) => ({
      as: await openActor(context),
      params: fillParams(label, await create(await context.account())),
      ...emptyBody(label),
    })),
    defineScenario(label, 404, 'with a malformed id', async (context) => {
      const params = fillParams(label)
      const [first = ''] = listParamNames(label)
      return {
        as: await openActor(context),
        params: { ...params, [first]: 'no id' },
        ...emptyBody(label),
      }
    }),
  ]
}

const invalidBodies: readonly (readonly [title: string, text: string])[] = [
  ['with truncated JSON', '{"name":'],
  ['with an array as the body', '[]'],
  ['with null as the body', 'null'],
]

const creatableParams: ReadonlySet<string> = new Set(['trackId', 'libraryId', 'packId'])

// The actor owns the resource, so only the body is invalid.
const createInvalidBodyScenarios = (label: Label): Scenario[] => {
  const create = findResourceCreator(label)
  const canCreateParams = listParamNames(label).every((name) => creatableParams.has(name))
  if (!hasBody(label) || !canCreateParams) return []
  return invalidBodies.map(([title, text]) =>
    defineScenario(label, 400, title, async ({ account }) => {
      const owner = await account(planFor(label))
      return { as: owner, params: fillParams(label, await create?.(owner)), text }
    }),
  )
}

/**
 * Scenarios for every row that both sides can serve: missing authentication, unknown and foreign ids, invalid bodies.
 */
export const everyRow: readonly Scenario[] = twoSidedLabels.flatMap((label) =>
  needsActor(label)
    ? [
        ...createUnauthenticatedScenarios(label),
        ...createNotFoundScenarios(label),
        ...createInvalidBodyScenarios(label),
      ]
    : [],
)
