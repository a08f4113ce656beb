import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandError } from '#migration/cli/exit-codes.ts'
import { requestApi } from '#migration/cli/request.ts'
import type { Send } from '#migration/cli/verb.ts'
import { verbs } from '#migration/cli/verbs.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

describe('npm run routes with a file', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  let folder: string
  let file: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-routing-file-'))
    file = join(folder, 'routes.yaml')
  })
  afterAll(() => rm(folder, { recursive: true }))

  const send: Send = (schema, method, path, body) =>
    requestApi(
      { adminUrl: gateway.adminUrl, token: operatorTokens.alice, advice: '' },
      schema,
      method,
      path,
      body,
    )
  const routes = async (name: string, ...args: string[]) => {
    try {
      const { text, json, exitCode = 0 } = await verbs.get(name)!.run(args, send)
      return { code: exitCode, text, json }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      return { code: error.exitCode, text: error.message, json: error.body }
    }
  }
  const exportTo = async (edit: (text: string) => string = (text) => text) => {
    const { text } = await routes('export')
    await writeFile(file, edit(text))
    return text
  }
  const why = ['--reason', 'reviewed']

  it('exports a line for each route, and finds nothing to change in that export', async () => {
    await routes('override', '007', 'libraries.*', 'core', ...why)
    const text = await exportTo()
    expect(text).toMatch(
      /^# Which side serves each route, .*\n# .*plan FILE\n# .*apply FILE.*\n\nepoch: \d+\nroutes:\n/,
    )
    expect(text).toContain('\n  libraries.list: { stage: native, mode: observe, version: 0 }\n')
    expect(text).toMatch(/\noverrides:\n {2}libraries\.\*:\n {4}"007": core$/)
    expect(text).not.toContain('webhooks.')
    const nothing = { code: 0, text: 'nothing to change' }
    expect(await routes('plan', file)).toMatchObject(nothing)
    expect(await routes('apply', file, ...why)).toMatchObject(nothing)
    await writeFile(file, JSON.stringify((await routes('export', '--json')).json))
    expect(await routes('plan', file)).toMatchObject(nothing)
  })

  it('prints the changes and exits with 4 when it plans, and makes them when it applies the file', async () => {
    await exportTo((text) =>
      text
        .replace('tracks.list: { stage: proxy, mode: observe', 'tracks.list: { stage: shadow, mode: auto')
        .replace('"007": core', 'acct_1: { side: native, until: 2099-01-01T00:00:00Z }'),
    )
    const changes = [
      'An override for acct_1 on libraries.* selects native until 2099-01-01T00:00:00.000Z.',
      '007 no longer has an override on libraries.*.',
      'tracks.list goes from proxy to shadow. No account changes sides.',
      'The mode of tracks.list changes from observe to auto. No account changes sides.',
      '4 changes',
    ]
    expect(await routes('plan', file)).toMatchObject({ code: 4, text: changes.join('\n') })
    const applied = await routes('apply', file, ...why)
    expect(applied.code).toBe(0)
    expect(applied.text.split('\n')).toEqual([
      ...changes,
      expect.stringMatching(/^applied on 1 of 1 instance in \d+ ms$/),
    ])
    expect((await routes('plan', file)).text).toMatch(
      /^drifted: tracks\.list has changed since the export \(mode by alice, [^)]+\): shadow,\n {2}version 2\.\ndrifted: The overrides on libraries\.\* have changed [\s\S]*\nnothing to change, 2 drifted$/,
    )
  })

  it('exits with 1 if changes are refused, and lists all of them', async () => {
    await exportTo((text) =>
      text
        .replace('packs.list: { stage: proxy', 'packs.list: { stage: native')
        .replace('tracks.create: { stage: proxy', 'tracks.create: { stage: canary, weight: 1'),
    )
    const refused = [
      'packs.list cannot go from proxy to native: the next step is shadow.',
      'tracks.create: these gate checks are not met: contract. --waive-checks takes the',
    ]
    const planned = await routes('plan', file)
    expect(planned.code).toBe(1)
    expect(planned.text).toMatch(/\n2 refused$/)
    for (const sentence of refused) expect(planned.text).toContain(`refused: ${sentence}`)
    const { code, text } = await routes('apply', file, ...why)
    expect(code).toBe(1)
    expect(text).toMatch(/^Nothing was changed/)
    for (const sentence of refused) expect(text).toContain(`\n${sentence}`)
    const waived = await routes('plan', file, '--waive-checks')
    expect(waived.text).toContain('Checks not met: contract')
  })

  it('names the line of each mistake', async () => {
    const mistakes = `epoch: 0
routes:
  tracks.lst: { stage: shadow, version: 0 }
  webhooks.billing: { stage: native, version: 0 }
  tracks.list: { stage: shadow }
  tracks.create: { stage: canary, weight: 120, version: 0 }
  tracks.detail:
    stage: shadow
    weight: 5
    killed: false
    version: 0
`
    await writeFile(file, mistakes)
    const { code, text } = await routes('plan', file)
    expect(code).toBe(1)
    expect(text.replaceAll(`${file}: `, '').split('\n')).toEqual([
      'line 3: routes.tracks.lst is not a route label; the nearest are: tracks.list, packs.list, tracks.create.',
      'line 4: routes.webhooks.billing is native-only: the core cannot serve it.',
      'line 5: routes.tracks.list.version is required.',
      'line 6: routes.tracks.create.weight must be at most 99.99.',
      'line 10: routes.tracks.detail.killed is not a known field.',
      'line 9: routes.tracks.detail.weight is required for stage canary and not allowed for any other.',
    ])
    await writeFile(file, 'epoch: 0\nroutes:\n  tracks.list: { version: 0 }\n  tracks.list: { version: 1 }\n')
    expect((await routes('plan', file)).text).toBe(`${file}: line 4: Map keys must be unique`)
    await writeFile(file, 'epoch: 0\nroutes: &r { }\noverrides: *r\n')
    expect((await routes('plan', file)).text).toBe(`${file}: aliases are not supported`)
    expect(await routes('plan', `${file}.none`)).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^cannot read .*ENOENT$/),
    })
    expect(await routes('apply', file)).toMatchObject({
      code: 2,
      text: expect.stringContaining('--reason is required'),
    })
  })
}, 60_000)
