import { hash } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'
import { buildRoutingView } from '#migration/model/build-routing-view.ts'
import { initialStateOf } from '#migration/model/route-state.ts'
import { chooseForAccount } from '#migration/model/routing-view.ts'

/** In basis points. */
export const weights = [100, 500, 2500, 5000, 9900] as const

const accountCount = 100_000

const toUuid = (index: number) =>
  hash('sha256', `account ${index}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

const createIds = (idOf: (index: number) => string) =>
  Array.from({ length: accountCount }, (_, index) => idOf(index))

export const createAccountIds = () => ({
  numbered: createIds((index) => `acct_${index}`),
  uuid: createIds(toUuid),
})

export const selectNative = (label: Label, weightBp: number, accountIds: readonly string[]): string[] => {
  const { views } = buildRoutingView({
    epoch: 1,
    isKnown: true,
    isStale: false,
    states: [{ ...initialStateOf(label), stage: 'canary', weightBp }],
    overrides: new Map(),
    staticStates: [],
    kills: [],
    handled: new Set([label]),
    hasCore: true,
    installationSalt: 'salt',
    now: 0,
  })
  const view = views.get(label)
  if (view?.side !== 'split') throw new Error(`expected a split view, got ${view?.side}`)
  return accountIds.filter((accountId) => chooseForAccount(view, accountId).side === 'native')
}

export const hashDecisions = (): string => {
  const selected = Object.values(createAccountIds()).flatMap((accountIds) =>
    weights.map((weightBp) => selectNative('libraries.list', weightBp, accountIds).join()),
  )
  return hash('sha256', selected.join('\n'))
}
