import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { startEmailProvider } from '#dev/sandbox/email/start-email.ts'
import { createResendEmail } from '#jobs/adapters/email-resend.ts'
import { handleDeadLetter } from '#jobs/dead-letter.ts'
import { sendInvitation } from '#jobs/send-invitation.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestJobs } from '#test/support/jobs.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const apiKey = 're_key_of_the_tests'
const from = 'Crossfade <invitations@example.test>'
const environment = { EMAIL_API_KEY: apiKey, EMAIL_FROM: from }
const nativeLabels = ['packs.invitations.create', 'packs.invitations.list'] as const
const webhookSecret = `whsec_${Buffer.from('email-secret-of-the-tests').toString('base64')}`

describe("an invitation's e-mail", () => {
  let provider: Awaited<ReturnType<typeof startEmailProvider>>
  const gateway = startTestGateway({
    nativeLabels,
    storage: true,
    environment: { ...environment, EMAIL_WEBHOOK_SECRET: webhookSecret },
  })
  beforeAll(async () => {
    provider = await startEmailProvider({ webhookSecret, apiKey })
    provider.deliveries.setEndpoint(`${gateway.url}/v1/webhooks/email`)
  })
  afterAll(() => provider.close())
  startTestJobs(gateway, { environment: () => ({ ...environment, EMAIL_API_BASE: provider.url }) })

  it('is sent once, with an id that its delivery events refer to', async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const path = `/v1/packs/${packId}/invitations`
    const email = `${crypto.randomUUID()}@example.test`
    await owner.post(path, { email })
    const findSent = () => provider.outbox.filter(({ to }) => to === email)
    await expect.poll(() => findSent().length, { timeout: 10_000 }).toBe(1)
    const [message] = findSent()
    expect(message).toMatchObject({ from, subject: 'You are invited to Harbour EP' })

    const findStored = async () =>
      (
        await gateway.database
          .sql`select provider_email_id as id from pack_invitations where email = ${email}`
      )[0]
    await expect.poll(findStored, { timeout: 10_000 }).toEqual({ id: message?.id })
    expect((await owner.get(path)).body.records).toMatchObject([{ email, status: 'queued' }])
    await fetch(`${provider.url}/emails/${message?.id}/delivered`, { method: 'POST', redirect: 'manual' })
    await provider.deliveries.waitUntilIdle()
    expect((await owner.get(path)).body.records).toMatchObject([{ email, status: 'delivered' }])
    expect(JSON.stringify(gateway.log.lines)).not.toContain(email)
  })

  const findJob = async (invitationId: string) =>
    (
      await gateway.database.sql`
        select state, round(extract(epoch from start_after - now()))::int as "delayS" from pgboss.job
        where name = 'send-invitation' and data->>'invitationId' = ${invitationId}`
    )[0]
  const invite = async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const path = `/v1/packs/${packId}/invitations`
    const email = `${crypto.randomUUID()}@example.test`
    const { body } = await owner.post(path, { email })
    const readStatus = async () => (await owner.get(path)).body.records[0]?.status
    return { invitationId: body.id as string, email, readStatus }
  }
  const startRetry = async (invitationId: string) => {
    const { sql } = gateway.database
    await sql`
      update pgboss.job set start_after = now()
      where name = 'send-invitation' and data->>'invitationId' = ${invitationId} and state = 'retry'`
    await sql`select pg_notify('crossfade_jobs', 'send-invitation 0')`
  }

  it.each([
    [404, {}],
    [429, { 'retry-after': '1000' }],
  ])('is retried if the provider returns %i, but not before Retry-After', async (status, headers) => {
    provider.failNext({ status, name: 'not_now', headers })
    const { invitationId, email, readStatus } = await invite()
    await expect.poll(() => findJob(invitationId), { timeout: 10_000 }).toMatchObject({ state: 'retry' })
    const delayS = (await findJob(invitationId))?.delayS
    const least = 'retry-after' in headers ? 990 : 0
    expect(delayS).toSatisfy((seconds: number) => seconds >= least && seconds <= (least ? 2000 : 10))
    expect(await readStatus()).toBe('queued')
    await startRetry(invitationId)
    const findSent = () => provider.outbox.filter(({ to }) => to === email).length
    await expect.poll(findSent, { timeout: 10_000 }).toBe(1)
  })

  it('fails permanently if the provider rejects it', async () => {
    provider.failNext({ status: 422, name: 'validation_error' })
    const { invitationId, email, readStatus } = await invite()
    await expect.poll(readStatus, { timeout: 10_000 }).toBe('failed')
    await expect.poll(() => findJob(invitationId), { timeout: 10_000 }).toMatchObject({ state: 'completed' })
    expect(provider.outbox.filter(({ to }) => to === email)).toEqual([])
  })

  it('is no longer sent after a day, because the provider might then send it twice', async () => {
    const owner = await gateway.signUp()
    const { packId } = await insertPackOf(gateway.database.sql, owner.accountId)
    const [id, email] = [crypto.randomUUID(), `${crypto.randomUUID()}@example.test`]
    const { sql } = gateway.database
    await sql`
      insert into pack_invitations (id, pack_id, email, created_at)
      values (${id}, ${packId}, ${email}, now() - interval '24 hours')`
    const job = { queue: 'send-invitation', invitationId: id, packName: 'EP' }
    await sql`insert into pgboss.job (name, data) values ('send-invitation', ${sql.json(job)})`
    const readStatus = async () =>
      (await sql`select status from pack_invitations where id = ${id}`)[0]?.status
    await expect.poll(readStatus, { timeout: 10_000 }).toBe('failed')
    expect(provider.outbox.filter(({ to }) => to === email)).toEqual([])
  })
})

describe('sending an invitation', () => {
  let provider: Awaited<ReturnType<typeof startEmailProvider>>
  const gateway = startTestGateway()
  beforeAll(async () => {
    provider = await startEmailProvider({ webhookSecret: null, apiKey })
  })
  afterAll(() => provider.close())

  const insertInvitation = async () => {
    const { sql } = gateway.database
    const { packId } = await insertPackOf(sql, 'acct_1')
    const [id, email] = [crypto.randomUUID(), `${crypto.randomUUID()}@example.test`]
    await sql`insert into pack_invitations (id, pack_id, email) values (${id}, ${packId}, ${email})`
    const read = async () =>
      (await sql`select status, provider_email_id as "emailId" from pack_invitations where id = ${id}`)[0]
    return { id, packId, email, read, findSent: () => provider.outbox.filter(({ to }) => to === email) }
  }
  const createPorts = (sender = from) => {
    const { db } = gateway.database
    return {
      db: createDatabasePort({ db, reader: db }),
      email: createResendEmail({ apiKey, apiBase: provider.url, from: sender }),
      appOrigin: null,
      clock: { now: () => new Date() },
      log: gateway.log,
    }
  }
  type Content = Omit<Parameters<typeof sendInvitation>[0], 'queue' | 'invitationId'>
  const send = (
    id: string,
    ports: Parameters<typeof sendInvitation>[1],
    content: Content = { packName: 'Harbour EP' },
  ) =>
    sendInvitation(
      { queue: 'send-invitation', invitationId: id, ...content },
      ports,
      new AbortController().signal,
    )

  it.each([
    [
      'a link without an access code',
      { slug: 'harbour-ep', requiresAccessCode: false },
      /^Listen to it: https:\/\/app\.test\/share\/packs\/harbour-ep$/m,
    ],
    [
      'a link with an access code',
      { slug: 'press', requiresAccessCode: true },
      /\/share\/packs\/press\nThe page asks for an access code/,
    ],
    ['no link', null, /^See your invitation: https:\/\/app\.test\/share\/invitations\/[\w-]+$/m],
  ])('includes the address of the right page if the pack has %s', async (_, link, expected) => {
    const { id, findSent } = await insertInvitation()
    await send(id, { ...createPorts(), appOrigin: 'https://app.test' }, { packName: 'Harbour EP', link })
    expect(findSent()[0]?.text).toMatch(expected)
  })

  it('includes no address if an earlier version queued the job or there is no web app', async () => {
    const [earlier, withoutApp] = [await insertInvitation(), await insertInvitation()]
    await send(earlier.id, { ...createPorts(), appOrigin: 'https://app.test' })
    await send(withoutApp.id, createPorts(), { packName: 'Harbour EP', link: null })
    for (const { findSent } of [earlier, withoutApp]) expect(findSent()[0]?.text).not.toContain('/share/')
  })

  it('repeats a request whose result was not stored, without sending a second e-mail', async () => {
    const { id, read, findSent } = await insertInvitation()
    const ports = createPorts()
    const crash = () => Promise.reject(new Error('crashed'))
    await expect(send(id, { ...ports, db: { ...ports.db, tx: crash } })).rejects.toThrow('crashed')
    expect(await read()).toEqual({ status: 'queued', emailId: null })
    await send(id, ports)
    await send(id, ports)
    const sent = findSent()
    expect(sent).toHaveLength(1)
    expect(await read()).toEqual({ status: 'queued', emailId: sent[0]?.id })
  })

  it('treats an e-mail as sent if it was accepted earlier with a different sender', async () => {
    const { id, read, findSent } = await insertInvitation()
    const ports = createPorts()
    const crash = () => Promise.reject(new Error('crashed'))
    await expect(send(id, { ...ports, db: { ...ports.db, tx: crash } })).rejects.toThrow('crashed')
    await send(id, createPorts('other@example.test'))
    expect([findSent().length, await read()]).toEqual([1, { status: 'sent', emailId: null }])
  })

  it('marks the invitation as failed if the provider rejects it, without logging the address', async () => {
    const { id, email, read } = await insertInvitation()
    const rejecting = { send: async () => ({ kind: 'rejected', status: 422, reason: null }) as const }
    await send(id, { ...createPorts(), email: rejecting })
    expect(await read()).toEqual({ status: 'failed', emailId: null })
    const logged = gateway.log.lines.filter(({ fields }) => fields.invitationId === id)
    expect(logged).toMatchObject([{ message: 'invitation e-mail rejected', fields: { status: 422 } }])
    expect(JSON.stringify(logged)).not.toContain(email)
  })

  it('sends nothing for an invitation whose pack was deleted', async () => {
    const { id, packId, findSent } = await insertInvitation()
    await gateway.database.sql`delete from packs where id = ${packId}`
    await send(id, createPorts())
    expect(findSent()).toEqual([])
  })

  it('fails without a provider, so the job is retried', async () => {
    const { id, read } = await insertInvitation()
    await expect(send(id, { ...createPorts(), email: null })).rejects.toThrow('set EMAIL_API_KEY')
    expect(await read()).toEqual({ status: 'queued', emailId: null })
  })

  it('marks the invitation as failed when the job is dead-lettered, unless the e-mail was sent', async () => {
    const [lost, sent] = [await insertInvitation(), await insertInvitation()]
    await send(sent.id, createPorts())
    for (const { id } of [lost, sent]) {
      const job = { queue: 'send-invitation', invitationId: id, packName: 'EP' } as const
      await handleDeadLetter('letter', job, createPorts())
    }
    expect(await lost.read()).toEqual({ status: 'failed', emailId: null })
    expect(await sent.read()).toEqual({ status: 'queued', emailId: sent.findSent()[0]?.id })
    expect(JSON.stringify(gateway.log.lines)).not.toContain(lost.email)
  })
})
