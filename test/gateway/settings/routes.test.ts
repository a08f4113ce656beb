import { expect, it } from 'vitest'
import { Environment, readSettings } from '#gateway/settings/settings.ts'

const { GATEWAY_ROUTES } = Environment.shape
const read = (text: string | undefined) => GATEWAY_ROUTES.safeParse(text)
const complete = {
  DATABASE_URL: 'postgres://db.test/app',
  CORE_BASE_URL: 'none',
  AUTH_ISSUER: 'https://issuer.test',
  AUTH_AUDIENCE: 'app',
  AUTH_JWKS_URL: 'https://issuer.test/jwks.json',
  GATEWAY_SECRET: 'sixteen-characters',
  STORAGE_ENDPOINT: 'https://storage.test',
  STORAGE_REGION: 'eu',
  STORAGE_BUCKET: 'media',
  STORAGE_ACCESS_KEY_ID: 'storage-key-id',
  STORAGE_SECRET_ACCESS_KEY: 'storage-secret-key',
}

it('GATEWAY_ROUTES sets states by scope', () => {
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
  ['libraries.list=half', 'a state must be proxy, shadow, canary:<basis points>, native or retired'],
  ['libraries.list=canary', 'a state must be proxy, shadow, canary:<basis points>, native or retired'],
  ['libraries.list=canary:0', 'the weight of a canary must be 1 to 9999 basis points'],
  ['libraries.list=canary:10000', 'the weight of a canary must be 1 to 9999 basis points'],
  ['webhooks.billing=proxy', 'webhooks.billing is native-only: the core cannot serve it'],
  ['analytics.*=proxy', 'all routes of analytics.* are native-only'],
])('GATEWAY_ROUTES rejects %s and says what would work', (text, reason) => {
  const start = () => readSettings({ ...complete, GATEWAY_ROUTES: `*=native,${text}` })
  expect(start).toThrow(
    `GATEWAY_ROUTES must be a comma-separated list of scope=state: ${reason} (it is "${text}")`,
  )
})
