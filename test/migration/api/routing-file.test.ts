import { beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

interface WireFile {
  epoch: number
  routes: Record<string, { stage?: string; weight?: number; mode?: string; version: number }>
  overrides: Record<string, Record<string, unknown>>
}

describe('a routing file', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  // Does not clear the audit table, because its triggers reject that.
  beforeEach(async () => {
    // Takes locks in the same order as the gateway, to avoid a deadlock.
    await gateway.database.sql.begin(async (sql) => {
      await sql`update routing_epoch set epoch = epoch + 1`
      await sql`delete from route_state`
      await sql`delete from account_override`
    })
  })

  const send = (method: string, path: string, body?: object, token: string = operatorTokens.alice) =>
    gateway.requestAdmin(method, path, { token, ...(body === undefined ? {} : { body }) })
  const change = (scope: string, kind: object) =>
    send('POST', `/api/routes/${encodeURIComponent(scope)}/changes`, { change: kind, reason: 'by hand' })
  const override = (accountId: string, scope: string, side: string) =>
    send('PUT', '/api/overrides', { accountId, scope, side, reason: 'by hand' })
  const exportFile = async (): Promise<WireFile> => (await send('GET', '/api/routing-file')).body
  /** Returns the export, reduced to these routes (with their exported versions) and overrides. */
  const exportWith = async (routes: Record<string, object>, overrides?: WireFile['overrides']) => {
    const file = await exportFile()
    const given = Object.entries(routes).map(([label, route]) => {
      const { version } = file.routes[label]!
      return [label, { version, ...route }]
    })
    return { ...file, routes: Object.fromEntries(given), overrides: overrides ?? {} }
  }
  const plan = (file: object, more: object = {}, token?: string) =>
    send('POST', '/api/routing-file/preview', { file, ...more }, token)
  const apply = (file: object, more: object = {}, token?: string) =>
    send('POST', '/api/routing-file', { file, reason: 'reviewed', ...more }, token)
  const stageOf = async (label: string) => {
    const { stage, weight, mode } = (await exportFile()).routes[label]!
    return [stage, weight, mode].filter((value) => value !== undefined).join(' ')
  }
  const readAudit = async (since: number) =>
    gateway.database.sql`
      select who, scope, action, reason from route_audit where epoch > ${since} order by epoch`
  const findEpoch = async () =>
    Number((await gateway.database.sql`select epoch from routing_epoch`)[0]?.epoch)

  it('changes nothing if it is an unedited export, whatever state is stored', async () => {
    await change('tracks.list', { kind: 'shadow' })
    await change('tracks.list', { kind: 'ramp', weightBp: 1250 })
    await change('libraries.list', { kind: 'retire', drillMinutes: 60 })
    await change('packs.*', { kind: 'kill' })
    await override('acct_1', '*', 'native')
    const file = await exportFile()
    expect(file.routes['tracks.list']).toMatchObject({ stage: 'canary', weight: 12.5 })
    expect(file.routes['libraries.list']).toMatchObject({ stage: 'native' })
    expect(file.overrides).toEqual({ '*': { acct_1: 'native' } })
    const nothing = { changes: [], kept: [], refused: [], drifted: [] }
    expect((await plan(file)).body).toMatchObject({ epoch: file.epoch, ...nothing })
    const { status, body } = await apply(file)
    expect([status, body]).toEqual([200, { epoch: file.epoch, ...nothing, adoption: null }])
    expect(await findEpoch()).toBe(file.epoch)
  })

  it('is applied as separate changes, each with an audit entry, a version, a notice and an epoch', async () => {
    await override('acct_1', 'tracks.list', 'native')
    await override('acct_2', 'tracks.list', 'core')
    const before = await findEpoch()
    const file = await exportWith(
      {
        'tracks.list': { stage: 'shadow', mode: 'auto' },
        'libraries.create': { stage: 'canary', weight: 25 },
      },
      { 'tracks.list': { acct_2: 'core', acct_3: { side: 'core', until: '2099-01-01T00:00:00Z' } } },
    )
    const planned = (await plan(file, {}, operatorTokens.rob)).body
    expect(await findEpoch()).toBe(before)
    expect(planned.changes.map(({ sentences }: { sentences: string[] }) => sentences[0])).toEqual([
      'libraries.create goes from native to canary at 25 %.',
      'tracks.list goes from proxy to shadow.',
      'The mode of tracks.list changes from observe to auto.',
      'An override for acct_3 on tracks.list selects core until 2099-01-01T00:00:00.000Z.',
      'acct_1 no longer has an override on tracks.list.',
    ])
    const { status, body } = await apply(file)
    expect([status, body.changes, body.epoch]).toEqual([200, planned.changes, before + 5])
    expect(body.adoption).toMatchObject({ adopted: 1, missing: [] })
    const who = { who: 'alice', reason: 'reviewed' }
    expect([...(await readAudit(before))]).toEqual([
      { ...who, scope: 'libraries.create', action: 'ramp' },
      { ...who, scope: 'tracks.list', action: 'shadow' },
      { ...who, scope: 'tracks.list', action: 'mode' },
      { ...who, scope: 'tracks.list', action: 'override' },
      { ...who, scope: 'tracks.list', action: 'remove override' },
    ])
    const after = await exportFile()
    expect(after.routes['tracks.list']).toEqual({ stage: 'shadow', mode: 'auto', version: 2 })
    expect(after.overrides['tracks.list']).toEqual({
      acct_2: 'core',
      acct_3: { side: 'core', until: '2099-01-01T00:00:00.000Z' },
    })
    expect((await plan(file)).body).toMatchObject({ changes: [], refused: [], drifted: [{}, {}, {}] })
    // This change makes native serve more, so operators get a notice.
    const back = await exportWith({ 'libraries.create': { stage: 'native' } })
    const notices = () => gateway.database.sql`
      select 1 from pgboss.job where name = 'notify-operators'
        and data->'notice'->>'summary' like 'libraries.create was promoted by alice%'`
    expect(await notices()).toHaveLength(0)
    expect((await apply(back, { waivesChecks: true })).status).toBe(200)
    expect(await notices()).toHaveLength(1)
  })

  it('is applied in full or not at all, and every refused change is named', async () => {
    const file = await exportWith({
      'libraries.list': { stage: 'shadow' },
      'packs.list': { stage: 'native' },
      'tracks.create': { stage: 'canary', weight: 1 },
    })
    const before = await findEpoch()
    const refused = [
      {
        scope: 'packs.list',
        sentence: 'packs.list cannot go from proxy to native: the next step is shadow.',
      },
      {
        scope: 'tracks.create',
        sentence:
          'tracks.create: these gate checks are not met: contract. --waive-checks takes the step anyway.',
      },
    ]
    expect((await plan(file)).body).toMatchObject({ changes: [{ scope: 'libraries.list' }], refused })
    const { status, body } = await apply(file)
    expect([status, body.error]).toEqual([409, 'route_change_illegal'])
    expect(body.message.split('\n').slice(1)).toEqual(refused.map(({ sentence }) => sentence))
    expect([await findEpoch(), await stageOf('libraries.list')]).toEqual([before, 'native observe'])
    // If a change fails while the file is applied, the earlier changes are undone.
    const { sql } = gateway.database
    await sql`alter table route_audit add constraint no_core check (action <> 'override') not valid`
    const failing = await exportWith(
      { 'libraries.list': { stage: 'shadow' } },
      { 'tracks.list': { a: 'core' } },
    )
    expect((await apply(failing)).status).toBe(500)
    await sql`alter table route_audit drop constraint no_core`
    expect([await findEpoch(), await stageOf('libraries.list')]).toEqual([before, 'native observe'])
  })

  it('goes no further than the gate permits, unless a person waives the checks', async () => {
    await change('tracks.create', { kind: 'ramp', weightBp: 100 })
    const file = await exportWith({ 'tracks.create': { stage: 'native' } })
    expect((await plan(file)).body.refused[0].sentence).toMatch(
      /^tracks\.create: these gate checks are not met: .*step-time/,
    )
    expect((await apply(file)).status).toBe(409)
    const { status, body } = await apply(file, { waivesChecks: true })
    expect([status, body.changes[0].warnings]).toEqual([200, [expect.stringMatching(/^Checks not met: /)]])
    expect(await stageOf('tracks.create')).toBe('native observe')
  })

  it('moves no killed, held or stopped route towards native, but moves the rest', async () => {
    await change('tracks.detail', { kind: 'kill' })
    await change('packs.*', { kind: 'kill' })
    await change('tracks.list', { kind: 'hold' })
    const { sql } = gateway.database
    await sql`
      insert into route_audit (id, who, scope, action, reason, epoch)
      select gen_random_uuid(), 'auto', 'tracks.create', 'rollback', 'a test', epoch from routing_epoch`
    const file = await exportWith(
      {
        'tracks.detail': { stage: 'shadow', mode: 'recommend' },
        'packs.list': { stage: 'shadow' },
        'tracks.list': { stage: 'shadow' },
        'tracks.create': { stage: 'canary', weight: 1 },
        'libraries.list': { stage: 'shadow' },
      },
      { 'tracks.*': { acct_1: 'native', acct_2: 'core' } },
    )
    const waived = { waivesChecks: true }
    const { body } = await plan(file, waived)
    expect(body.kept.map(({ sentence }: { sentence: string }) => sentence).toSorted()).toEqual(
      [
        "packs.list stays proxy: packs.* is killed. npm run routes -- resume 'packs.*' ends the kill.",
        'tracks.create stays proxy: tracks.create was stopped automatically. Once it is fixed, continue with npm run routes -- ramp tracks.create PERCENT.',
        'tracks.detail stays proxy: tracks.detail is killed. npm run routes -- resume tracks.detail ends the kill.',
        'tracks.list stays proxy: tracks.list is held. npm run routes -- release tracks.list ends the hold.',
        'The override for acct_1 on tracks.* stays as it is: tracks.list is held. npm run routes -- release tracks.list ends the hold.',
      ].toSorted(),
    )
    const applied = await apply(file, waived)
    expect([applied.status, applied.body.kept]).toEqual([200, body.kept])
    const after = await exportFile()
    expect(after.overrides['tracks.*']).toEqual({ acct_2: 'core' })
    expect(after.routes['tracks.detail']).toEqual({ stage: 'proxy', mode: 'recommend', version: 2 })
    expect([
      await stageOf('packs.list'),
      await stageOf('tracks.create'),
      await stageOf('libraries.list'),
    ]).toEqual(['proxy observe', 'proxy observe', 'shadow observe'])
    // Once a person has taken a step, a file may move the stopped route again.
    await change('tracks.create', { kind: 'ramp', weightBp: 100 })
    const next = await exportWith({ 'tracks.create': { stage: 'canary', weight: 5 } })
    expect((await apply(next, waived)).body).toMatchObject({
      kept: [],
      changes: [{ scope: 'tracks.create' }],
    })
    await change('tracks.detail', { kind: 'resume' })
    await change('packs.*', { kind: 'resume' })
  })

  it('does not move a route that a restore has left with the core, although no code is blamed', async () => {
    await change('libraries.update', { kind: 'ramp', weightBp: 100 })
    await change('libraries.update', { kind: 'ramp', weightBp: 0 })
    await gateway.database.sql`
      insert into route_audit (id, who, scope, action, reason, epoch)
      select gen_random_uuid(), 'auto', 'libraries.update', 'restore', 'a test', epoch + 1 from routing_epoch`
    const file = await exportWith({ 'libraries.update': { stage: 'canary', weight: 5 } })
    const { body } = await apply(file, { waivesChecks: true })
    expect(body).toMatchObject({ changes: [], kept: [{ scope: 'libraries.update' }] })
  })

  it('does not move a route that was killed, alone or with its area, between plan and apply', async () => {
    const file = await exportWith({
      'tracks.list': { stage: 'shadow' },
      'packs.list': { stage: 'shadow' },
      'libraries.list': { stage: 'shadow' },
    })
    expect((await plan(file)).body).toMatchObject({ changes: [{}, {}, {}], kept: [] })
    await change('tracks.list', { kind: 'kill' })
    await change('packs.*', { kind: 'kill' })
    const { status, body } = await apply(file)
    expect([status, body.changes.length]).toEqual([200, 1])
    expect(body.kept).toMatchObject([{ scope: 'tracks.list' }, { scope: 'packs.list' }])
    expect(body.drifted).toEqual([
      {
        scope: 'tracks.list',
        sentence: expect.stringMatching(
          /^tracks\.list has changed since the export \(kill by alice, .*\): killed, version 1\.$/,
        ),
      },
    ])
    const stages = ['tracks.list', 'packs.list', 'libraries.list'].map(stageOf)
    expect(await Promise.all(stages)).toEqual(['proxy observe', 'proxy observe', 'shadow observe'])
  })

  it('does not overwrite anything that changed since the export, and says who changed it and how', async () => {
    await override('acct_1', 'packs.list', 'core')
    const file = await exportWith(
      { 'tracks.list': { stage: 'shadow' }, 'libraries.list': { stage: 'native' } },
      { 'packs.list': {} },
    )
    await change('tracks.list', { kind: 'mode', mode: 'recommend' })
    await change('libraries.list', { kind: 'mode', mode: 'recommend' })
    await override('acct_2', 'packs.list', 'core')
    const { body } = await plan(file)
    expect(body.refused.map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      expect.stringMatching(
        /^tracks\.list has changed since the export \(mode by alice, \d{4}-.*Z\): proxy, version 1\. Export the file again, then make your change\.$/,
      ),
      expect.stringMatching(
        /^The overrides on packs\.list have changed since the export \(override by alice, .*\)\. Export the file again, then make your change\.$/,
      ),
    ])
    expect(body.drifted).toMatchObject([{ scope: 'libraries.list' }])
    expect((await apply(file)).status).toBe(409)
  })

  it('is applied only once if two operators apply it at the same time', async () => {
    const labels = ['tracks.list', 'tracks.detail', 'packs.list', 'packs.detail']
    const up = await exportWith(Object.fromEntries(labels.map((label) => [label, { stage: 'shadow' }])))
    const modes = await exportWith(
      Object.fromEntries(labels.toReversed().map((label) => [label, { mode: 'auto' }])),
    )
    const before = await findEpoch()
    const responses = await Promise.all([apply(up), apply(modes), apply(up), apply(modes)])
    expect(
      responses
        .map(({ status }) => status)
        .toSorted()
        .at(0),
    ).toBe(200)
    for (const { status, body } of responses)
      if (status !== 200) expect(body.message).toMatch(/has changed since the export|is already in state/)
    // One of the two files is applied in full, the other not at all.
    const made = await readAudit(before)
    expect(new Set(made.map(({ action }) => action)).size).toBe(1)
    expect(made.map(({ scope }) => scope)).toEqual(labels.toSorted())
  })

  it('retires a route only under the conditions of the retire command, and leaves retired routes alone', async () => {
    const retiring = await exportWith({ 'libraries.list': { stage: 'retired' } })
    expect((await plan(retiring)).body.refused[0].sentence).toMatch(
      /^libraries\.list cannot be retired yet\. /,
    )
    const { sql } = gateway.database
    await sql`
      insert into route_state (scope, state, weight_bp, killed, held, mode, version)
      values ('libraries.list', 'retired', 10000, false, false, 'observe', 1)`
    const file = await exportFile()
    expect(file.routes['libraries.list']).toMatchObject({ stage: 'retired' })
    expect((await plan(file)).body).toMatchObject({ changes: [], refused: [] })
    const canary = await exportWith({ 'libraries.list': { stage: 'canary', weight: 50 } })
    expect((await plan(canary)).body.refused[0].sentence).toBe(
      'libraries.list is retired: ramp it to 100 % first.',
    )
    const native = await exportWith({ 'libraries.list': { stage: 'native' } })
    expect((await apply(native)).status).toBe(200)
    expect(await stageOf('libraries.list')).toBe('native observe')
  })

  it('can be exported and planned by readers, but applied only by operators who may change routes, and is limited in size', async () => {
    const file = await exportFile()
    for (const [token, statuses] of [
      [operatorTokens.rob, [200, 200, 403]],
      [operatorTokens.ci, [403, 403, 403]],
    ] as const)
      expect([
        (await send('GET', '/api/routing-file', undefined, token)).status,
        (await plan(file, {}, token)).status,
        (await apply(file, {}, token)).status,
      ]).toEqual(statuses)
    const accounts = Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [`account-${id}`, 'core']))
    expect((await apply({ ...file, overrides: { '*': accounts } })).status).toBe(413)
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, id) => [`a${id}`, 'core']))
    expect((await apply({ ...file, overrides: { '*': many } })).body.message).toMatch(
      /^The file makes 201 changes\. Apply at most 200 at once/,
    )
    expect((await plan({ ...file, epoch: file.epoch + 1 })).body.issues).toEqual([
      { path: 'epoch', message: expect.stringContaining('export from this database') },
    ])
    expect((await apply(file, { reason: ' ' })).body.error).toBe('validation_error')
    expect((await send('POST', '/api/routing-file/preview', {})).body.error).toBe('validation_error')
  })
})
