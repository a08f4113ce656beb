import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { hasStoredResponses } from '#gateway/pipeline/idempotency/identify-request.ts'
import { handlers } from '#native-routes/index.ts'
import { analysisPath } from '#test/support/ask.ts'
import { buyPlan } from '#test/support/billing.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { createLibrary, insertTrackOf, inviteToLibrary } from '#test/support/fixtures.ts'
import type { TestAccount, TestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'
import { createFile, putFile } from '#test/support/uploads.ts'

export const environmentOfWrites = {
  EMAIL_API_KEY: 're_key_of_the_tests',
  EMAIL_FROM: 'invitations@example.test',
  MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
  MEDIA_INTELLIGENCE_SECRET: 'analysis-secret-of-the-tests',
}

/** The writes that native can serve and whose responses are stored. */
export const writes = labels.filter((label) => label in handlers && hasStoredResponses(label))

interface WriteInput {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: object
}

export interface PreparedWrite {
  readonly label: Label
  readonly account: TestAccount
  readonly method: string
  readonly path: string
  readonly body: object | undefined
}

const order = { planId: 'pro', returnPath: '/plans' }
const audio = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1024 }
const whole = [{ collaboratorId: 'ann', percentage: 100 }]

type Prepare = (account: TestAccount, gateway: TestGateway) => Promise<WriteInput>

const withTrack =
  (body?: object): Prepare =>
  async ({ accountId }, { database: { sql } }) => {
    const trackId = await insertTrackOf(sql, accountId)
    await insertVersion(sql, trackId)
    return { params: { trackId }, ...(body ? { body } : {}) }
  }

const withVersion: Prepare = async ({ accountId }, { database: { sql } }) => {
  const trackId = await insertTrackOf(sql, accountId)
  await insertVersion(sql, trackId)
  return { params: { trackId, versionId: (await insertVersion(sql, trackId)).id } }
}

const withShareLink: Prepare = async (account, gateway) => {
  const { params = {} } = await withTrack()(account, gateway)
  const { body } = await account.post(`/v1/tracks/${params.trackId}/share-links`, {})
  return { params: { ...params, linkId: body.id } }
}

const withPack =
  (createBody: (trackIds: readonly string[]) => object | undefined = () => undefined): Prepare =>
  async ({ accountId }, { database: { sql } }) => {
    const { packId, trackIds } = await insertPackOf(sql, accountId, 2)
    const body = createBody(trackIds)
    return { params: { packId, trackId: trackIds[0] ?? '' }, ...(body ? { body } : {}) }
  }

const withLibrary =
  (body?: object): Prepare =>
  async (account) => ({
    params: { libraryId: (await createLibrary(account, crypto.randomUUID())).id },
    ...(body ? { body } : {}),
  })

const withLibraryTrack: Prepare = async (account, gateway) => {
  const { params = {} } = await withLibrary()(account, gateway)
  const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
  return { params: { ...params, trackId }, body: { trackId } }
}

const withLibraryShare =
  (body?: object): Prepare =>
  async (account) => {
    const library = await createLibrary(account, crypto.randomUUID())
    const share = await inviteToLibrary(account, library, { email: 'guest@example.test' })
    return { params: { libraryId: library.id, shareId: share.id }, ...(body ? { body } : {}) }
  }

const withSubscription =
  (body?: object): Prepare =>
  async (account, gateway) => {
    await buyPlan(gateway, account, 'starter')
    return body ? { body } : {}
  }

const prepareByLabel: { readonly [L in Label]?: Prepare } = {
  'billing.checkout': async () => ({ body: order }),
  'billing.portal': withSubscription({ returnPath: '/plans' }),
  'billing.change-plan': withSubscription(order),
  'billing.cancel': withSubscription(),
  'billing.resume': async (account, gateway) => {
    await withSubscription()(account, gateway)
    await account.post('/v1/billing/cancel')
    return {}
  },
  'tracks.lyrics.replace': withTrack({ text: 'La la', language: 'en', lines: [] }),
  'tracks.split-sheet.replace': withTrack({ master: whole, writers: whole }),
  'tracks.metadata.update': withTrack({ title: 'Day Drive' }),
  'tracks.processing.retry': withTrack(),
  'tracks.versions.upload': withTrack(audio),
  'tracks.versions.promote': withVersion,
  'tracks.versions.remove': withVersion,
  'tracks.artwork.upload': withTrack({ ...audio, contentType: 'image/png' }),
  'tracks.documents.upload': withTrack({ ...audio, contentType: 'application/pdf' }),
  'tracks.uploads.finalize': async (account, gateway) => {
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const { uploadId } = await putFile(account, trackId, createFile())
    return { params: { trackId, uploadId } }
  },
  'tracks.share-links.create': withTrack({ name: 'For Ann' }),
  'tracks.share-links.reset': withShareLink,
  'tracks.share-links.revoke': withShareLink,
  'libraries.create': async () => ({ body: { name: crypto.randomUUID() } }),
  'libraries.update': withLibrary({ description: 'Demos of the year' }),
  'libraries.remove': withLibrary(),
  'libraries.tracks.add': withLibraryTrack,
  'libraries.tracks.remove': async (account, gateway) => {
    const { params = {}, body } = await withLibraryTrack(account, gateway)
    await account.post(`/v1/libraries/${params.libraryId}/tracks`, body)
    return { params }
  },
  'libraries.shares.create': withLibrary({ email: 'guest@example.test', accessType: 'viewer' }),
  'libraries.shares.update': withLibraryShare({ accessType: 'editor' }),
  'libraries.shares.revoke': withLibraryShare(),
  'tracks.create': async () => ({ body: { title: 'Night Drive', artist: 'Alice Moreau' } }),
  'tracks.remove': withTrack(),
  'packs.create': async () => ({ body: { name: 'Harbour EP' } }),
  'packs.update': withPack(() => ({ name: 'Harbour LP' })),
  'packs.remove': withPack(),
  'packs.tracks.add': async (account, gateway) => {
    const { params = {} } = await withPack()(account, gateway)
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    return { params, body: { trackId } }
  },
  'packs.tracks.remove': withPack(),
  'packs.tracks.reorder': withPack((trackIds) => ({ trackIds: trackIds.toReversed() })),
  'packs.links.create': withPack(() => ({ name: 'For Ann' })),
  'packs.links.revoke': async (account, gateway) => {
    const { params = {} } = await withPack()(account, gateway)
    const { id } = await insertPackLink(gateway.database.sql, params.packId ?? '')
    return { params: { ...params, linkId: id } }
  },
  'catalog-analysis.threads.remove': async (account) => ({
    params: { threadId: (await account.post(analysisPath, { message: 'What is missing?' })).body.threadId },
  }),
  'packs.invitations.create': withPack(() => ({ email: 'guest@example.test' })),
}

export const prepareWrite = async (gateway: TestGateway, label: Label): Promise<PreparedWrite> => {
  const prepare = prepareByLabel[label]
  if (!prepare) throw new Error(`${label} has no case in prepareByLabel`)
  const account = await gateway.signUp({ plan: label.startsWith('billing.') ? 'free' : 'pro' })
  const { params = {}, body } = await prepare(account, gateway)
  return {
    label,
    account,
    method: rowOf(label).method,
    path: fillPathWith(label, (name) => params[name] ?? 'unknown'),
    body,
  }
}

interface SentWrite {
  readonly status: number
  readonly text: string
  readonly location: string | null
  readonly isReplayed: boolean
  readonly runtime: string | null
}

export const sendWrite = async (
  origin: string,
  { account, method, path, body }: PreparedWrite,
  key: string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<SentWrite> => {
  const response = await fetch(origin + path, {
    method,
    headers: {
      authorization: `Bearer ${account.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    text: await response.text(),
    location: response.headers.get('location'),
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    runtime: response.headers.get('x-service-core-runtime'),
  }
}

// Tables that processes write to on their own, and tables with data about requests.
const otherTables =
  /^(gateway_|fleet_|route_|routing_|evidence_|contract_result|mismatch|core_usage|unmatched_usage|idempotency_keys|rate_limits|account_override)/

const listTables = async ({ billing, database: { sql } }: TestGateway) => {
  await billing.deliveries.waitUntilIdle()
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  return tables.map(({ name }) => name).filter((name) => !otherTables.test(name))
}

export const readRows = async (gateway: TestGateway) => {
  const { sql } = gateway.database
  const rows = new Map<string, readonly string[]>()
  for (const name of await listTables(gateway)) {
    const read = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} as t`
    rows.set(name, read.map(({ row }) => row).sort())
  }
  return rows
}

export const countRows = async (gateway: TestGateway): Promise<Record<string, number>> => {
  const { sql } = gateway.database
  const tables = await listTables(gateway)
  const counts = await sql.unsafe<{ name: string; count: number }[]>(
    tables
      .map((name) => `select '${name}' as name, count(*)::int as count from "${name}"`)
      .join(' union all '),
  )
  return Object.fromEntries(counts.map(({ name, count }) => [name, count]))
}
