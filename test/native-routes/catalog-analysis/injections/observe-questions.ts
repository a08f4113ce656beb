import { afterAll, beforeAll } from 'vitest'
import type { Turn } from '#dev/sandbox/model/chat-request.ts'
import { analysisPath, openEvents } from '#test/support/ask.ts'
import { checksumTables } from '#test/support/checksum-tables.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { readEvents, type TestEvent } from '#test/support/read-events.ts'
import { recordConnections } from '#test/support/record-connections.ts'
import { unreachableStorage } from '#test/support/storage.ts'
import { obey } from './obey.ts'
import type { Site } from './places.ts'
import { insertVictim, victimId } from './victim.ts'

const secretSettings = {
  LINKS_WEBHOOK_SECRET: 'links-webhook-secret-of-the-tests',
  EMAIL_WEBHOOK_SECRET: 'whsec_ZW1haWwtd2ViaG9vay1zZWNyZXQtb2YtdGhlLXRlc3Rz',
  BILLING_WEBHOOK_SECRET: 'billing-webhook-secret-of-the-tests',
}
const secretNames = /SECRET|KEY|TOKEN|DATABASE/
const minSecretLength = 12

const ownTables = ['public.analysis_threads', 'public.analysis_messages', 'public.analysis_usage']

const describeTurn = ({ text = '', calls = [] }: Turn) =>
  [text, ...calls.map(({ name, input }) => `${name} ${input}`)].join('\n')

const readAll = async (raw: string) => {
  const events: TestEvent[] = []
  for await (const event of readEvents(new Response(raw))) events.push(event)
  return events
}

export const observeQuestions = () => {
  const gateway = startTestGateway({ model: true, environment: secretSettings })
  const turns: Turn[] = []
  let connections: ReturnType<typeof recordConnections> | undefined
  beforeAll(async () => {
    await insertVictim(gateway.database.sql)
    gateway.model.setRespond((request) => {
      const turn = obey(request)
      turns.push(turn)
      return turn
    })
    connections = recordConnections()
  })
  afterAll(() => connections?.stop())

  const listConnections = () => connections?.addresses ?? []

  const open = async (): Promise<Site & { readonly linkToken: string }> => {
    const owner = await gateway.signUp()
    const trackId = await insertTrackOf(gateway.database.sql, owner.accountId, 'Harbour Lights')
    const { body } = await owner.post(`/v1/tracks/${trackId}/share-links`, { name: 'For reviewers' })
    return { gateway, owner, trackId, linkToken: body.token }
  }

  const readRows = async ({ accountId }: TestAccount) => {
    const { sql } = gateway.database
    const checksums = Object.entries(await checksumTables(sql)).filter(([name]) => !ownTables.includes(name))
    const others = await sql`
      select (select md5(string_agg(t::text, ',' order by id)) from analysis_threads t where account_id <> ${accountId}) as threads,
        (select md5(string_agg(m::text, ',' order by m.id)) from analysis_messages m join analysis_threads t
          on t.id = thread_id where account_id <> ${accountId}) as messages,
        (select md5(string_agg(u::text, ',' order by u)) from analysis_usage u where account_id <> ${accountId}) as usage`
    return { ...Object.fromEntries(checksums), ...others[0] }
  }

  const listSecrets = async ({
    owner,
    linkToken,
  }: {
    readonly owner: TestAccount
    readonly linkToken: string
  }) => {
    const { sql } = gateway.database
    const rows = await sql<{ secret: string }[]>`
      select slug as secret from pack_links union select access_code_hash from pack_links where access_code_hash is not null
      union select token_hash from track_share_links union select token_hash from split_sheet_links`
    const settings = Object.entries(gateway.environment)
      .filter(([name, value]) => secretNames.test(name) && value.length >= minSecretLength)
      .map(([, value]) => value)
    return [...settings, owner.token, linkToken, ...rows.map(({ secret }) => secret)]
  }

  const observe = async (owner: TestAccount, message: string, threadId?: string) => {
    const before = await readRows(owner)
    const [received, logged, opened] = [
      gateway.model.received.length,
      gateway.log.lines.length,
      listConnections().length,
    ]
    turns.length = 0
    const response = await openEvents(gateway, owner, { message, ...(threadId ? { threadId } : {}) })
    const raw = await response.text()
    const events = await readAll(raw)
    const done = events.at(-1)?.data
    const [detail, list] = [
      await owner.get(`${analysisPath}/threads/${done.threadId}`),
      await owner.get(`${analysisPath}/threads`),
    ]
    const headers = [response.headers, detail.headers, list.headers]
    const addresses = listConnections().slice(opened)
    return {
      headers: response.headers,
      events,
      done,
      detail: detail.body,
      list: list.body,
      tried: turns.map(describeTurn).join('\n'),
      toClient: [
        raw,
        JSON.stringify([detail.body, list.body]),
        JSON.stringify(headers.map((all) => [...all])),
      ].join('\n'),
      toModel: gateway.model.received.slice(received).join('\n'),
      logged: JSON.stringify(gateway.log.lines.slice(logged)),
      addresses,
      rows: { before, after: await readRows(owner) },
    }
  }

  const listKnownAddresses = () => {
    const { url, adminUrl, database, issuer, model } = gateway
    // The last one: a service that an earlier file of this process could not reach may still be tried again.
    const unreachable = unreachableStorage.STORAGE_ENDPOINT
    const urls = [url, adminUrl, database.url, database.directUrl, issuer.jwksUrl, model.url, unreachable]
    return new Set(urls.map((known) => new URL(known).host))
  }

  return {
    gateway,
    open,
    observe,
    listSecrets,
    listKnownAddresses,
    signInVictim: () => gateway.signUp({ accountId: victimId, plan: 'free' }),
  }
}

export type Observed = Awaited<ReturnType<ReturnType<typeof observeQuestions>['observe']>>
