import { expect, it } from 'vitest'
import { Environment } from '#gateway/settings/settings.ts'

const { GATEWAY_ROUTES } = Environment.shape
const read = (text: string | undefined) => GATEWAY_ROUTES.safeParse(text)
const findError = (text: string) =>
  read(text)
    .error?.issues.map(({ message }) => message)
    .join('\n')

it('reads states by scope', () => {
  expect(read(undefined).data).toEqual([])
  expect(read('*=proxy, libraries.*=shadow,libraries.list = canary:2500,tracks.list=native').data).toEqual([
    { scope: '*', stage: 'proxy', weightBp: 0 },
    { scope: 'libraries.*', stage: 'shadow', weightBp: 0 },
    { scope: 'libraries.list', stage: 'canary', weightBp: 2500 },
    { scope: 'tracks.list', stage: 'native', weightBp: 10_000 },
  ])
})

it.each([
  ['libraries.lst=native', 'its scope is not a route label, area.* or *'],
  ['libraries.list', 'its scope is not a route label, area.* or *'],
  ['library.*=native', 'its scope is not a route label, area.* or *'],
  ['libraries.list=half', 'a state is proxy, shadow, canary:<basis points>, native or retired'],
  ['libraries.list=canary', 'a state is proxy, shadow, canary:<basis points>, native or retired'],
  ['libraries.list=canary:0', 'the weight of a canary is 1 to 9999 basis points'],
  ['libraries.list=canary:10000', 'the weight of a canary is 1 to 9999 basis points'],
  ['webhooks.billing=proxy', 'webhooks.billing is native-only: the core cannot serve it'],
  ['analytics.*=proxy', 'all routes of analytics.* are native-only'],
])('rejects %s and says what would be right', (text, reason) => {
  expect(findError(`*=native,${text}`)).toBe(
    `must be a comma-separated list of scope=state: "${text}" is none, because ${reason}`,
  )
})
