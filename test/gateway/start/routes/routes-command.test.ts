import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatOperator } from '#gateway/start/operator-token.ts'
import { parsePercentage } from '#gateway/start/routes/change-verbs.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const root = join(import.meta.dirname, '../../../..')

const run = (args: readonly string[], environment: Record<string, string>) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['gateway/start/routes/main.ts', ...args],
      { cwd: root, env: { PATH: process.env.PATH ?? '', ...environment } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

describe('npm run routes', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const routes = (...args: string[]) =>
    run(args, { ADMIN_URL: gateway.adminUrl, OPERATOR_TOKEN: operatorTokens.alice })
  const why = ['--reason', 'a test']

  it('changes a route and prints its state and how many instances have adopted it', async () => {
    const { code, stdout } = await routes('ramp', 'libraries.list', '12.5%', ...why)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^libraries\.list: canary 12\.5 %, not killed \(version 1\)\n(\d+)\/\1 instances at epoch \d+, \d+ ms\n$/,
    )
    const { stdout: audit } = await routes('audit', 'libraries.list')
    expect(audit).toMatch(/alice +libraries\.list +ramp +native -> canary 12\.5 % +a test/)
  })

  it('lists every route in columns, and explains one in sentences', async () => {
    await routes('kill', 'billing.*', ...why)
    await routes('hold', 'billing.status', ...why)
    const { stdout } = await routes('list')
    expect(stdout).toMatch(/^route +state +mode +effects +version +notes\n/)
    expect(stdout).toMatch(
      /^billing\.status +native +observe +none +1 +killed by billing\.\*, held by billing\.status$/m,
    )
    expect(stdout).toMatch(/^webhooks\.billing +native-only/m)
    expect((await routes('explain', 'billing.status')).stdout.split('\n')).toEqual([
      'billing.status is in state native (version 1).',
      'billing.* is killed: the core serves it. Resume billing.* to undo this.',
      'billing.status is held: automation neither promotes nor rolls it back.',
      '',
    ])
    expect((await routes('explain', 'billing.*')).stdout).toContain(
      'billing.* is killed (version 1) and contains: ',
    )
  })

  it('prints the response as JSON for --json, errors included', async () => {
    const { stdout } = await routes('explain', 'libraries.create', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ scope: 'libraries.create', explanation: { side: 'native' } })
    const { code, stderr } = await routes('kill', 'libraries.craete', '--json', ...why)
    expect([code, JSON.parse(stderr)]).toMatchObject([1, { error: 'route_scope_unknown' }])
  })

  it('sets, lists and removes the override of an account', async () => {
    expect((await routes('override', 'acct|1', 'libraries.create', 'core', ...why)).code).toBe(0)
    expect((await routes('override')).stdout).toMatch(
      /acct\|1 +libraries\.create +core +removed +alice +a test/,
    )
    expect((await routes('explain', 'libraries.create', '--account', 'acct|1')).stdout).toContain(
      'An override of acct|1 for libraries.create selects core until it is removed.',
    )
    expect((await routes('override', 'acct|1', 'libraries.create', 'none', ...why)).code).toBe(0)
    expect(await routes('override', 'acct|1', 'libraries.create', 'none', ...why)).toMatchObject({ code: 1 })
  })

  it('exits with 1 where the gateway rejects, and repeats its message', async () => {
    expect(await routes('kill', 'libraries.lits', ...why)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The nearest are: libraries.list, '),
    })
    expect(await routes('shadow', 'libraries.create', ...why)).toMatchObject({
      code: 1,
      stderr: 'routes: libraries.create cannot be shadowed, because it has effects: ramp it instead.\n',
    })
    expect((await routes('hold', 'libraries.create', '--version', '9', ...why)).stderr).toContain(
      'libraries.create has version 0: another change came first.',
    )
    const wrongToken = await run(['list'], { ADMIN_URL: gateway.adminUrl, OPERATOR_TOKEN: 'wrong' })
    expect(wrongToken).toMatchObject({ code: 1, stderr: expect.stringContaining('listed in OPERATORS') })
  })

  it('exits with 2 for wrong usage, without a request', async () => {
    for (const [args, problem] of [
      [['kill', 'libraries.list'], '--reason is required'],
      [['kill', 'libraries.list', '--reason', ' '], '--reason is required'],
      [['ramp', 'libraries.list', '101', ...why], 'the share must be 0 to 100 %'],
      [['mode', 'libraries.list', 'fast', ...why], 'must be one of observe, recommend, auto'],
      [['kill', ...why], 'expected kill SCOPE'],
      [['promote'], 'promote is not a verb'],
      [['hold', 'libraries.list', '--version', 'x', ...why], '--version must be a whole number'],
      [['override', 'acct', '*', 'left', ...why], 'SIDE must be core, native or none'],
    ] as const)
      expect(await routes(...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(problem),
      })
  })

  it('exits with 3 if no gateway can be reached', async () => {
    const unreachable = await run(['list'], { ADMIN_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'token' })
    expect(unreachable).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('cannot reach the gateway at http://127.0.0.1:1: '),
    })
  })

  it('generates a token and prints the entry of OPERATORS with its hash', async () => {
    const { stdout } = await run(['operator', 'bob', '--role', 'read', '--json'], {})
    const { token, entry } = JSON.parse(stdout)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(entry).toBe(formatOperator('bob', 'read', token))
    expect(await run(['operator', 'b:b'], {})).toMatchObject({ code: 2 })
  })
}, 60_000)

it('a share of accounts is read in steps of 0.01 %', () => {
  expect(['0', '1', '0.5', '25%', '99.99', '100', '0.01'].map(parsePercentage)).toEqual([
    0, 100, 50, 2500, 9999, 10_000, 1,
  ])
  expect(['', '-1', '100.01', '0.001', '1e1', '101', '%', '1,5'].map(parsePercentage)).toEqual(
    Array(8).fill(null),
  )
})
