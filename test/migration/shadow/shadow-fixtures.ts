import { afterAll, beforeAll } from 'vitest'
import { type Database, openDatabase } from '#db/client/connection.ts'
import type { HandlersByLabel } from '#gateway/pipeline/run-route.ts'
import { createShadowRun, type ShadowedRequest, type ShadowOutcome } from '#migration/shadow/run-shadowed.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'
import { findLabel } from '#test/support/find-label.ts'
import { createLibrary } from '#test/support/fixtures.ts'
import type { TestAccount, TestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

export const accessCode = 'sesame of the tests'

export const openShadow = (gateway: TestGateway) => {
  let database: Database | undefined
  beforeAll(() => {
    const { url, prepare } = gateway.database
    database = openDatabase(url, { readOnly: true, prepare, connections: 2, statementTimeoutMs: 500 })
  })
  afterAll(() => database?.close())

  const run = (
    target: string,
    account: TestAccount | null = null,
    { handlers = nativeHandlers as HandlersByLabel, settings = {}, method = 'GET' } = {},
  ): Promise<ShadowOutcome> => {
    const [path = '', query = ''] = target.split('?')
    const { accountId = '', email = '' } = account ?? {}
    const actor: ShadowedRequest['actor'] = account && { accountId, email, emailVerified: true }
    if (!database) throw new Error('the database is not open yet')
    const runShadowed = createShadowRun({
      database,
      handlers,
      settings: { ...gateway.settings, ...settings },
      listeningUrl: gateway.url,
    })
    const label = findLabel('GET', path)
    if (label === null) throw new Error(`no row has the path ${path}`)
    return runShadowed(label, { method, path, query, headers: {}, actor })
  }
  return { run }
}

export const insertShared = async (gateway: TestGateway) => {
  const owner = await gateway.signUp()
  const { sql } = gateway.database
  const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
  const gated = await insertPackLink(sql, packId, { accessCode })
  const open = await insertPackLink(sql, packId)
  const { id: libraryId } = await createLibrary(owner)
  const trackId = trackIds[0]!
  const { token } = (await owner.post(`/v1/tracks/${trackId}/share-links`)).body
  return { owner, packId, trackId, libraryId, token, gated: gated.slug, open: open.slug }
}

type Shared = Awaited<ReturnType<typeof insertShared>>

export const createTargets = (path: string, shared: Shared): readonly string[] => {
  const fill = (values: Partial<Record<string, string>>) =>
    path.replace(/:(\w+)/g, (_, name) => values[name] ?? crypto.randomUUID())
  const { packId, trackId, libraryId, token, gated, open } = shared
  const ids = { packId, trackId, libraryId, token }
  const visit = 'visitorId=visitor-of-the-tests&sessionId=session-of-the-tests'
  if (!path.includes(':slug')) return [fill(ids), `${fill(ids)}?limit=x&from=x`, fill({})]
  return [
    `${fill({ ...ids, slug: open })}?${visit}`,
    `${fill({ ...ids, slug: gated })}?${visit}&accessCode=${encodeURIComponent(accessCode)}`,
    `${fill({ ...ids, slug: gated })}?${visit}&accessCode=wrong`,
    fill({ ...ids, slug: gated }),
    fill({ ...ids, slug: 'missing-slug' }),
  ]
}
