import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { requestAt, type TestResponse } from '#test/support/request-at.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { unreachableStorage } from '#test/support/storage.ts'

const secretVisitor = 'visitor-of-the-scan'
const secretSession = 'session-of-the-scan'
const rightCode = 'sesame of the scan'
const wrongCode = 'barley of the scan'
const userAgent = 'agent-of-the-scan'
const visit = `visitorId=${secretVisitor}&sessionId=${secretSession}&source=mail`

const sharingLabels = labels.filter((label) =>
  /^(tracks\.(split-sheet\.)?share-links|pack-links|public)\./.test(label),
)
const analyticsLabels = labels.filter((label) => label.startsWith('analytics.'))
const coreEntry = join(import.meta.dirname, '../../../dev/sandbox/core/main.ts')

describe('secrets of visitors and owners', () => {
  const gateway = startTestGateway({ core: 'sandbox' })
  const secrets = new Set([secretVisitor, secretSession, rightCode, wrongCode, userAgent])
  let core: { url: string; log: () => string; stop: () => Promise<void> }
  const requested = new Set<string>()

  beforeAll(async () => {
    const child = fork(coreEntry, {
      env: { ...process.env, ...gateway.environment, ...unreachableStorage, LOG_LEVEL: 'trace' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    let log = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes) => {
        log += bytes
      })
    const [{ url }] = await once(child, 'message')
    const stop = async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    core = { url, log: () => log, stop }
  })
  afterAll(() => core.stop())

  const start = async () => {
    const owner = await gateway.signUp()
    const { sql } = gateway.database
    const { packId, trackIds } = await insertPackOf(sql, owner.accountId)
    const { id: packLinkId, slug } = await insertPackLink(sql, packId, { accessCode: rightCode })
    const entries = [{ collaboratorId: 'alice', percentage: 100 }]
    await owner.put(`/v1/tracks/${trackIds[0]}/split-sheet`, { master: entries, writers: entries })
    return { owner, packId, packLinkId, slug, trackId: trackIds[0]! }
  }
  type SharedResources = Awaited<ReturnType<typeof start>>

  const collectToken = ({ status, body }: TestResponse): { id: string; token: string } => {
    expect([200, 201]).toContain(status)
    secrets.add(body.token)
    return body
  }

  const requestSharingRoutes = async (origin: string, { owner, trackId, slug }: SharedResources) => {
    const asOwner = { token: owner.token, headers: { 'user-agent': userAgent } }
    const send = (label: Label, path: string, options: { token?: string; body?: object } = {}) => {
      requested.add(`${origin === core.url ? 'core' : 'gateway'} ${label}`)
      return requestAt(origin, rowOf(label).method, path, { ...options, headers: asOwner.headers })
    }
    const links = `/v1/tracks/${trackId}/share-links`
    const sheetLinks = `/v1/tracks/${trackId}/split-sheet/share-links`
    const first = collectToken(
      await send('tracks.share-links.create', links, { ...asOwner, body: { name: 'S' } }),
    )
    const link = collectToken(await send('tracks.share-links.reset', `${links}/${first.id}/reset`, asOwner))
    const sheetLink = collectToken(
      await send('tracks.split-sheet.share-links.create', sheetLinks, { ...asOwner, body: {} }),
    )
    await send('tracks.share-links.list', links, asOwner)
    await send('tracks.split-sheet.share-links.list', sheetLinks, asOwner)

    const visitors = sharingLabels.filter((label) => /^(pack-links|public)\./.test(label))
    const body = { visitorId: secretVisitor, sessionId: secretSession, channel: 'qr' }
    const request = async (label: Label, token: string, query: string) => {
      const { method, path } = rowOf(label)
      const address = path.replace(':slug', slug).replace(':trackId', trackId).replace(':token', token)
      const { status } = await send(label, `${address}?${query}`, method === 'POST' ? { body } : {})
      return status
    }
    for (const label of visitors) {
      const { token } = label === 'public.split-sheets.detail' ? sheetLink : link
      const code = (text: string) => `${visit}&accessCode=${encodeURIComponent(text)}`
      expect(await request(label, token, code(rightCode)), label).toBe(200)
      const status = /^public\.(track|split)/.test(label)
        ? await request(label, first.token, visit)
        : await request(label, '', code(wrongCode))
      expect([403, 404, 429], label).toContain(status)
    }
    await send('tracks.share-links.revoke', `${links}/${link.id}`, asOwner)
    await send('tracks.split-sheet.share-links.revoke', `${sheetLinks}/${sheetLink.id}`, asOwner)
  }

  /** Requests shared resources while a table is missing, so that errors are logged too. */
  const requestDuringErrors = async (origin: string, shared: SharedResources) => {
    const { sql } = gateway.database
    const { token } = collectToken(await shared.owner.post(`/v1/tracks/${shared.trackId}/share-links`))
    const code = `accessCode=${encodeURIComponent(rightCode)}&${visit}`
    for (const table of ['engagement_events', 'track_share_links', 'pack_links']) {
      await sql`alter table ${sql(table)} rename to renamed_table`
      try {
        for (const path of [
          `/v1/public/track-links/${token}?${visit}`,
          `/v1/pack-links/${shared.slug}?${code}`,
        ])
          await requestAt(origin, 'GET', path)
      } finally {
        await sql`alter table renamed_table rename to ${sql(table)}`
      }
    }
  }

  const readReports = async (owner: TestAccount, { packId, trackId }: SharedResources) => {
    const responses = await Promise.all(
      analyticsLabels.map((label) =>
        owner.get(rowOf(label).path.replace(':packId', packId).replace(':trackId', trackId)),
      ),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    return responses.map(({ headers, body }) => [Object.fromEntries(headers), body])
  }

  // Reads every row of every table as text, in all schemas including the job queue's.
  const readAllRows = async () => {
    const { sql } = gateway.database
    const tables = await sql<{ schema: string; name: string }[]>`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
    expect(tables.map(({ schema }) => schema)).toContain('pgboss')
    const rows = await Promise.all(
      tables.map(({ schema, name }) => sql`select t::text as row from ${sql(schema)}.${sql(name)} t`),
    )
    return rows.flatMap((table) => table.map(({ row }) => String(row))).join('\n')
  }

  it('are in no log, table or report of native or the core, and both count a visitor once', async () => {
    const shared = await start()
    for (const origin of [gateway.url, core.url]) {
      await requestSharingRoutes(origin, shared)
      await requestDuringErrors(origin, shared)
    }
    for (const label of sharingLabels)
      for (const by of ['gateway', 'core']) expect(requested).toContain(`${by} ${label}`)

    const { sql } = gateway.database
    const countEvents = async () => {
      const [row] =
        await sql`select count(*)::int from engagement_events where owner_id = ${shared.owner.accountId}`
      return row!.count
    }
    // Each runtime served twelve visits. The gateway also stores the visits that arrived while the table was missing.
    await expect.poll(countEvents, { timeout: 12_000 }).toBeGreaterThanOrEqual(24)
    const reports = await readReports(shared.owner, shared)
    const packReport = JSON.stringify(reports.find(([, body]) => body.packId)?.[1])
    expect(JSON.parse(packReport).totals).toMatchObject({ uniqueVisitors: 1 })

    const [rows, log, coreLog] = [await readAllRows(), JSON.stringify(gateway.log.lines), core.log()]
    expect(rows).toContain(shared.packLinkId)
    expect(log).toContain('public.track-links.detail')
    expect(coreLog).toContain('failed to write engagement event')
    const places = { rows, log, coreLog, responses: JSON.stringify(reports) }
    expect(secrets.size).toBe(5 + 2 * 3 + 2)
    for (const [place, text] of Object.entries(places))
      for (const secret of secrets)
        for (const form of [
          secret,
          encodeURIComponent(secret),
          Buffer.from(secret).toString('hex'),
          Buffer.from(secret).toString('base64url').slice(0, -1),
        ])
          expect(text.includes(form), `${secret} in ${place}`).toBe(false)
  }, 30_000)
})
