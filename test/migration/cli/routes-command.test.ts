import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { formatOperator } from '#migration/cli/operator-verb.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { storeRestore } from '#test/support/routing.ts'

const root = join(import.meta.dirname, '../../..')

const run = (args: readonly string[], environment: Record<string, string>) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['bin/routes.ts', ...args],
      { cwd: root, env: { PATH: process.env.PATH ?? '', ...environment } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

const unreachable = { ADMIN_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'token' }

describe('npm run routes', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const routes = (...args: string[]) =>
    run(args, { ADMIN_URL: gateway.adminUrl, OPERATOR_TOKEN: operatorTokens.alice })
  const why = ['--reason', 'a test']

  it('changes a route and prints its state and how many instances have adopted it', async () => {
    const { code, stdout } = await routes('ramp', 'libraries.list', '12.5%', ...why)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^libraries\.list: canary at 12\.5 % \(version 1\)\napplied on (\d+) of \1 instances? in \d+ ms\n$/,
    )
    const { stdout: audit } = await routes('audit', 'libraries.list')
    expect(audit).toMatch(/alice +libraries\.list +ramp +native -> canary at 12\.5 % +a test/)
  })

  it('prints with --dry-run what a change would do, without making it or asking for a reason', async () => {
    const { code, stdout } = await routes('kill', 'tracks.*', '--dry-run')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^The core immediately takes over every two-sided route of tracks\.\*\.\nThe percentage of \d+ routes changes\.\n/,
      ),
    ])
    expect((await routes('explain', 'tracks.*')).stdout).toContain('tracks.* is not killed (version 0).')
    const rejected = await routes('ramp', 'libraries.detail', '100', '--dry-run')
    expect([rejected.code, rejected.stdout, rejected.stderr]).toEqual([
      1,
      '',
      'routes: libraries.detail is already in state native\n',
    ])
  })

  it('lists every route in columns, and explains one in sentences', async () => {
    await routes('kill', 'billing.*', ...why)
    await routes('hold', 'billing.status', ...why)
    const { stdout } = await routes('list')
    expect(stdout).toMatch(/^route +state +effects +version +notes\n/)
    expect(stdout).toMatch(/^billing\.status +native +none +1 +killed by billing\.\*, held$/m)
    expect(stdout).toMatch(/^webhooks\.billing +native-only/m)
    expect(stdout).toMatch(/^packs\.invitations\.create +proxy +external +0 +not configured$/m)
    expect(stdout).toMatch(/\n\nbilling\.\* is killed \(version 1\)\n1 of 1 instance at epoch \d+\n$/)
    expect(stdout.split('\n').filter((line) => line.length > 110)).toEqual([])
    expect((await routes('explain', 'billing.status')).stdout.split('\n')).toEqual([
      'billing.* is killed, so the core serves it. Resume billing.* to undo this.',
      'billing.status is held: automation neither promotes nor rolls it back.',
      'billing.status: native (version 1).',
      '',
    ])
    const area = (await routes('explain', 'billing.*')).stdout.split('\n')
    expect(area.slice(2, 5)).toEqual([
      'billing.* is not held.',
      'Also held: billing.status.',
      'native (6 of 6): billing.status, billing.checkout, billing.portal, billing.change-plan,',
    ])
    expect((await routes('explain', 'packs.invitations.create')).stdout).toContain(
      'EMAIL_API_KEY and EMAIL_FROM are unset, so this instance cannot serve it natively. The core serves\n  it.',
    )
  })

  it('warns above the list if the instance it asked is still at an older epoch', async () => {
    const { directUrl, sql } = gateway.database
    const { stdout: current } = await routes('list')
    expect(current).toMatch(/^route +state/)
    const locker = postgres(directUrl, { max: 1 })
    const lock = await locker.reserve()
    await lock`begin`
    // The gateway needs this table to read the whole state, but not for the list.
    await lock`lock table account_override`
    const [row] = await sql`update routing_epoch set epoch = epoch + 1 returning epoch`
    const { stdout } = await routes('list')
    await lock`rollback`
    lock.release()
    await locker.end()
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      `This instance is at epoch ${row?.epoch - 1}; the newest is ${row?.epoch}.`,
      expect.stringMatching(/^route +state/),
    ])
  })

  it('prints responses and errors as JSON with --json', async () => {
    const { stdout } = await routes('explain', 'libraries.create', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ scope: 'libraries.create', explanation: { side: 'native' } })
    const failures = [
      [routes('kill', 'libraries.craete', '--json', ...why), 1, 'route_scope_unknown'],
      [routes('ramp', 'libraries.list', '101%', '--json', ...why), 2, 'wrong_usage'],
      [routes('promote', '--json'), 2, 'wrong_usage'],
      [run(['list', '--json'], unreachable), 3, 'gateway_unreachable'],
    ] as const
    for (const [running, exitCode, error] of failures) {
      const { code, stderr, stdout: printed } = await running
      expect([code, JSON.parse(stderr), printed]).toEqual([
        exitCode,
        expect.objectContaining({ error, message: expect.not.stringContaining('\n') }),
        '',
      ])
    }
  })

  it("prints the evidence for a route's code in sentences", async () => {
    const { code, stdout } = await routes('evidence', 'libraries.detail')
    expect([code, stdout.split('\n').filter((line) => line.length > 110)]).toEqual([0, []])
    expect(stdout).toMatch(/^Evidence key [0-9a-f]{32}: /)
    expect(stdout).toContain(
      'No contract run for this code yet. Run npm run contract -- --post in a checkout of this release.',
    )
    expect(stdout).toContain('In the last 7 days, native served no requests, the core served no requests.')
    const json = await routes('evidence', 'libraries.detail', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ label: 'libraries.detail', contract: null })
    const misspelled = await routes('evidence', 'libraries.detial')
    expect([misspelled.code, misspelled.stderr]).toEqual([
      1,
      expect.stringContaining('Closest: libraries.detail'),
    ])
    expect(await routes('evidence')).toMatchObject({ code: 2 })
    expect((await routes('evidence', '--help')).stdout).toContain('usage: npm run routes -- evidence LABEL')
    expect(await run(['evidence', 'libraries.detail'], unreachable)).toMatchObject({ code: 3 })
  }, 30_000)

  it('rejects a signature that belongs to no mismatch', async () => {
    expect(await routes('reproduce', 'libraries.detail', '0123456789abcdef')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'routes: libraries.detail has no mismatch with the signature 0123456789abcdef. It has no mismatches at all.\n',
    })
    const misspelled = await routes('reproduce', 'libraries.detial', '0123456789abcdef')
    expect([misspelled.code, misspelled.stderr]).toEqual([
      1,
      expect.stringContaining('Closest: libraries.detail'),
    ])
    expect((await routes('reproduce', '--help')).stdout).toContain(
      'usage: npm run routes -- reproduce LABEL SIGNATURE',
    )
  }, 30_000)

  it('names an instance that does not report, and can forget it', async () => {
    const { db, sql } = gateway.database
    await upsertInstance(db, { id: 'unreported', build: 'b', keys: {}, epoch: 0 })
    await sql`update gateway_instance set beat_at = now() - interval '40 seconds' where id = 'unreported'`
    expect((await routes('hold', 'tracks.*', ...why)).stdout).toMatch(
      /^tracks\.\*: held \(version 1\)\napplied on 1 of 1 instance in \d+ ms\n1 instance has not reported for \d+ s: unreported; it may still be serving an older state\n$/,
    )
    expect((await routes('forget', 'unreported', ...why)).stdout).toMatch(
      /^forgot unreported\napplied on 1 of 1 instance in \d+ ms\n$/,
    )
    expect((await routes('audit', 'unreported')).stdout).toMatch(/alice +unreported +forget +a test\n$/)
    expect(await routes('forget', 'unreported', ...why)).toMatchObject({
      code: 1,
      stderr:
        'routes: No instance has the id "unreported". It may have shut down or already been forgotten.\n',
    })
  })

  it('says that the database was restored, until somebody accepts the restore', async () => {
    const accept = () => routes('accept-restore', ...why)
    const rejection = { code: 1, stderr: 'routes: There is no restored database to accept.\n' }
    expect(await accept()).toMatchObject(rejection)
    await storeRestore(gateway.database)
    await expect
      .poll(async () => (await routes('list')).stdout)
      .toMatch(/^The database was restored from an older backup\./)
    expect((await accept()).stdout).toMatch(/^applied on 1 of 1 instance in \d+ ms\n$/)
    expect((await routes('list')).stdout).toMatch(/^route /)
    expect((await routes('audit', '*')).stdout).toMatch(/alice +\* +accept-restore +a test\n/)
    expect(await accept()).toMatchObject(rejection)
  }, 30_000)

  it('forgets several instances at once, by prefix or by how long they have been silent', async () => {
    const { db, sql } = gateway.database
    const silent = { 'web-1': 70, 'web-2': 300, 'web-3': 40, 'job-1': 300, 'job-2': 40, 'cron-1': 40 }
    for (const [id, seconds] of Object.entries(silent)) {
      await upsertInstance(db, { id, build: 'b', keys: {}, epoch: 0 })
      await sql`update gateway_instance set beat_at = now() - make_interval(secs => ${seconds}) where id = ${id}`
    }
    const forgotten = async (...args: string[]) =>
      (await routes('forget', ...args, ...why)).stdout.split('\n')[0]
    expect(await forgotten('--silent-for', '2m')).toBe('forgot job-1, web-2')
    expect(await forgotten('web-*', 'job-2')).toBe('forgot web-1, job-2')
    const partly = await routes('forget', 'job-2', 'web-3', ...why)
    expect(partly).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^forgot web-3\nNo instance has the id "job-2"\. .*\napplied on 1 of 1 /),
    })
    expect(await routes('forget', 'cron-*', '--silent-for', '1h', ...why)).toMatchObject({
      code: 1,
      stderr:
        'routes: Nothing to forget: every matching instance is still reporting or has already been forgotten.\n',
    })
    expect(await routes('forget', ...why)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('name instances or set --silent-for TIME'),
    })
    expect(await forgotten('cron-1')).toBe('forgot cron-1')
  }, 60_000)

  it('says that a change is stored even if the database does not respond afterwards', async () => {
    const { directUrl, sql } = gateway.database
    await upsertInstance(gateway.database.db, { id: 'behind', build: 'b', keys: {}, epoch: 0 })
    const locker = postgres(directUrl, { max: 1 })
    const lock = await locker.reserve()
    await lock`begin`
    const findEpoch = async () => (await sql`select epoch from routing_epoch`)[0]?.epoch
    const before = await findEpoch()
    const changing = routes('hold', 'packs.*', ...why)
    await expect.poll(findEpoch, { timeout: 10_000, interval: 20 }).toBe(before + 1)
    await lock`lock table gateway_instance`
    expect(await changing).toMatchObject({
      code: 0,
      stdout: `packs.*: held (version 1)\nstored at epoch ${before + 1}, but the database stopped responding: npm run routes -- list shows how many instances have applied it\n`,
    })
    await lock`rollback`
    lock.release()
    await locker.end()
    await sql`delete from gateway_instance where id = 'behind'`
  })

  it('sets, lists and removes an account override', async () => {
    expect((await routes('override', 'acct|1', 'libraries.create', 'core', ...why)).code).toBe(0)
    expect((await routes('override')).stdout).toMatch(
      /acct\|1 +libraries\.create +core +removed +alice +a test/,
    )
    expect((await routes('explain', 'libraries.create', '--account', 'acct|1')).stdout).toContain(
      'An override for acct|1 on libraries.create selects core until it is removed.',
    )
    expect((await routes('override', 'acct|1', 'libraries.create', 'none', ...why)).code).toBe(0)
    expect(await routes('override', 'acct|1', 'libraries.create', 'none', ...why)).toMatchObject({ code: 1 })
  })

  it('exits with 4 if plan finds that a file would change something', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-routes-'))
    const file = join(folder, 'routes.yaml')
    const { stdout } = await routes('export')
    await writeFile(file, stdout)
    expect(await routes('plan', file)).toEqual({ code: 0, stdout: 'nothing to change\n', stderr: '' })
    await writeFile(file, stdout.replace(/(libraries\.presentation: .*mode: )observe/, '$1auto'))
    const planned = await routes('plan', file, '--json')
    expect([planned.code, JSON.parse(planned.stdout).changes]).toMatchObject([
      4,
      [{ scope: 'libraries.presentation' }],
    ])
    await rm(folder, { recursive: true })
  })

  it('exits with 1 if the gateway rejects the change, and prints its message', async () => {
    expect(await routes('kill', 'libraries.lits', ...why)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Closest: libraries.list, '),
    })
    expect(await routes('shadow', 'libraries.create', ...why)).toMatchObject({
      code: 1,
      stderr: 'routes: libraries.create cannot be shadowed, because it has effects: ramp it instead.\n',
    })
    expect((await routes('hold', 'libraries.create', '--version', '9', ...why)).stderr).toContain(
      'libraries.create changed while you were deciding (now version 0). View the current state: ',
    )
    expect((await routes('ramp', 'packs.list', '100', ...why)).stderr).toBe(
      'routes: packs.list cannot go from proxy to native: the next step is shadow.\n',
    )
    const runAs = (OPERATOR_TOKEN: string, args: readonly string[]) =>
      run(args, { ADMIN_URL: gateway.adminUrl, OPERATOR_TOKEN })
    expect(await runAs('wrong', ['list'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('listed in OPERATORS'),
    })
    expect(await runAs(operatorTokens.rob, ['kill', '*', ...why])).toMatchObject({
      code: 1,
      stderr: 'routes: rob has the role read; this needs write.\n',
    })
  })

  it('exits with 2 for wrong usage, without sending a request', async () => {
    for (const [args, problem] of [
      [['kill', 'libraries.list'], '--reason is required'],
      [['kill', 'libraries.list', '--reason', ' '], '--reason is required'],
      [['ramp', 'libraries.list', '101', ...why], 'the percentage must be between 0 and 100'],
      [['mode', 'libraries.list', 'fast', ...why], 'must be one of observe, recommend, auto'],
      [['kill', ...why], 'expected "kill SCOPE", got 0 operands'],
      [['promote'], 'promote is not a verb'],
      [['hold', 'libraries.list', '--version', 'x', ...why], '--version must be a whole number'],
      [['override', 'acct', '*', 'left', ...why], 'SIDE must be core, native or none'],
      [['override', 'acct', '*', 'none', '--until', '2030-01-01T00:00:00Z', ...why], '--until cannot be'],
      [['override', 'acct', ...why], '--reason and --until require SCOPE and SIDE; without SCOPE'],
      [['override', 'acct', '--until', '2030-01-01T00:00:00Z'], '--reason and --until require SCOPE'],
      [['audit', '--limit', 'abc'], '--limit must be a whole number from 1 to 200'],
      [['audit', '--limit', '0'], '--limit must be a whole number from 1 to 200'],
      [['audit', '--limit', '201'], '--limit must be a whole number from 1 to 200'],
      [['audit', '--limit='], '--limit must be a whole number from 1 to 200'],
      [['audit', '--before', '2147483648'], '--before must be a whole number'],
    ] as const)
      expect(await routes(...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(problem),
      })
  })

  it('exits with 3 if no gateway can be reached', async () => {
    expect(await run(['list'], unreachable)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('cannot reach the gateway at http://127.0.0.1:1 ('),
    })
  })

  it('generates a token and prints an OPERATORS entry with its hash', async () => {
    const { stdout } = await run(['operator', 'bob', '--role', 'read', '--json'], {})
    const { token, entry } = JSON.parse(stdout)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(entry).toBe(formatOperator('bob', 'read', token))
    expect(await run(['operator', 'b:b'], {})).toMatchObject({ code: 2 })
  })
}, 60_000)

describe('npm run routes without the database', () => {
  const gateway = startTestGateway({
    throughRelay: true,
    routingThroughRelay: true,
    environment: { OPERATORS: testOperators },
  })

  const runWithoutDatabase = async (...args: string[]) => {
    gateway.relay.setUnavailable(true)
    const ended = await run(args, { ADMIN_URL: gateway.adminUrl, OPERATOR_TOKEN: operatorTokens.alice })
    gateway.relay.setUnavailable(false)
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    return ended.stderr
  }

  it('exits with 3 after a change, says that the outcome is unknown, and says what works without the database', async () => {
    expect(await runWithoutDatabase('kill', '*', '--reason', 'a test')).toMatch(
      /^routes: The database did not respond\. .* The change may or may not have been made: .* GATEWAY_KILL works without/,
    )
  })

  it.each([
    ['explain', 'tracks.list'],
    ['kill', 'tracks.list', '--dry-run'],
  ])('exits with 3 after the read "%s" and says that nothing was changed', async (...args) => {
    expect(await runWithoutDatabase(...args)).toBe(
      'routes: The database did not respond. The instances keep their last state, and nothing was changed. Try again.\n',
    )
  })
})
