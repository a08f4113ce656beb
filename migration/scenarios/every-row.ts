import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import type { Account } from '../contract-run/account.ts'
import { type Scenario, scenario } from '../contract-run/scenario.ts'
import { aLibrary, aPack, aTrack } from './fixtures/libraries.ts'

const nativeLabels = labels.filter((label) => rowOf(label).runtime === 'native')

const absent = '0190aaaa-0000-7000-8000-000000000000'

const namesOf = (label: Label) => Array.from(rowOf(label).path.matchAll(/:(\w+)/g), ([, name = '']) => name)

const paramsOf = (label: Label, known: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(namesOf(label).map((name) => [name, known[name] ?? absent]))

const needsActor = (label: Label) => rowOf(label).auth.startsWith('actor') && rowOf(label).auth !== 'actor?'

const hasBody = (label: Label) => {
  const contract: Contract = contracts[label]
  return contract.body !== undefined
}

const anyBody = (label: Label) => (hasBody(label) ? { body: {} } : {})

const withoutActor = (label: Label): Scenario[] => [
  scenario(label, 401, 'without a token', () => ({ params: paramsOf(label), ...anyBody(label) })),
  scenario(label, 401, 'with a token that nobody signed', () => ({
    params: paramsOf(label),
    headers: { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2N0X2FsaWNlIn0.' },
    ...anyBody(label),
  })),
]

// What a row's scope finds, as far as it belongs to somebody.
const resources: Readonly<Record<string, (owner: Account) => Promise<Readonly<Record<string, string>>>>> = {
  track: async (owner) => ({ trackId: (await aTrack(owner)).id }),
  library: async (owner) => ({ libraryId: (await aLibrary(owner)).id }),
  pack: async (owner) => ({ packId: (await aPack(owner)).id }),
}

const resourceOf = (label: Label) => resources[rowOf(label).scope?.split(':', 1)[0] ?? '']

const planFor = (label: Label) => (rowOf(label).auth.includes('+') ? { plan: 'pro' } : {})

const outOfReach = (label: Label): Scenario[] => {
  const make = resourceOf(label)
  if (make === undefined) return []
  return [
    scenario(label, 404, 'of something that does not exist', async ({ account }) => ({
      as: await account(planFor(label)),
      params: paramsOf(label),
      ...anyBody(label),
    })),
    scenario(
      label,
      404,
      'of somebody else, without telling it from what does not exist',
      async ({ account }) => ({
        as: await account(planFor(label)),
        params: paramsOf(label, await make(await account())),
        ...anyBody(label),
      }),
    ),
    scenario(label, 404, 'by an id that can be none', async ({ account }) => {
      const params = paramsOf(label)
      const [first = ''] = namesOf(label)
      return { as: await account(planFor(label)), params: { ...params, [first]: 'no id' }, ...anyBody(label) }
    }),
  ]
}

const unreadable: readonly (readonly [title: string, text: string])[] = [
  ['with JSON that ends too early', '{"name":'],
  ['with a list for a body', '[]'],
  ['with null for a body', 'null'],
]

// Whoever sends it may do so to what is theirs: what is wrong is the body alone.
const wrongBody = (label: Label): Scenario[] => {
  const make = resourceOf(label)
  const isWithinReach = namesOf(label).every((name) => name === 'trackId' || name === 'libraryId')
  if (!hasBody(label) || !isWithinReach) return []
  return unreadable.map(([title, text]) =>
    scenario(label, 400, title, async ({ account }) => {
      const owner = await account(planFor(label))
      return { as: owner, params: paramsOf(label, await make?.(owner)), text }
    }),
  )
}

/** What every route answers by its row alone: who may ask, what is out of reach, what cannot be read. */
export const everyRow: readonly Scenario[] = nativeLabels.flatMap((label) =>
  needsActor(label) ? [...withoutActor(label), ...outOfReach(label), ...wrongBody(label)] : [],
)
