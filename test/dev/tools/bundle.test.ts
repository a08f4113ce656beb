import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJobsProcess, startServer } from '#dev/start/start-child.ts'
import { nodePrograms } from '#dev/tools/bundle/node-programs.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { waitForProcessing } from '#test/support/jobs.ts'
import { wav } from '#test/support/media/audio-files.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'
import { requestAt } from '#test/support/request-at.ts'
import { storeRouteState } from '#test/support/routing.ts'
import { createFile, uploadFile } from '#test/support/uploads.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
const oldNode = '/usr/bin/node'
const options = { encoding: 'utf8' } as const
const isOldNodeInstalled =
  Number.parseInt(spawnSync(oldNode, ['-p', 'process.versions.node'], options).stdout, 10) < 24

describe('the bundle for Node', { timeout: 90_000 }, () => {
  // Provides the core, token issuer, object store and database. Requests are sent to the bundle's own processes.
  const sources = startTestGateway({ core: 'sandbox', storage: true })
  const environment = () => ({ ...sources.environment, PUBLIC_BASE_URL: sources.url, LOG_LEVEL: 'error' })
  let folder: string
  let server: Awaited<ReturnType<typeof startServer>>
  let worker: Awaited<ReturnType<typeof startJobsProcess>>
  const programOf = (name: string) => pathToFileURL(join(folder, `${name}.mjs`))

  beforeAll(async () => {
    // Outside the project, so that no node_modules can be found. In a URL, the name would need escapes.
    folder = join(await mkdtemp(join(tmpdir(), 'crossfade-node-')), 'a bundle #1 %41')
    await run(process.execPath, ['dev/tools/write-build.ts'], { cwd: root })
    await run(process.execPath, ['dev/tools/bundle/build-for-node.ts', '--out', folder], { cwd: root })
    server = await startServer('the bundled gateway', programOf('server'), environment())
    worker = await startJobsProcess('the bundled job worker', programOf('jobs'), environment())
  }, 90_000)
  afterAll(async () => {
    await Promise.all([server?.stop(), worker?.stop()])
    await rm(join(folder, '..'), { recursive: true, force: true })
  })

  const signUpAtBundle = async () => {
    const account = await sources.signUp()
    const get = (path: string) => requestAt(server.url, 'GET', path, { token: account.token })
    return { ...account, get }
  }

  it('names its own files in the usage text of its commands', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'migrate.mjs'), '--help'])
    expect(stdout).toMatch(/^usage: node migrate\.mjs \[flags\]$/m)
    const jobs = await run(process.execPath, [join(folder, 'jobs.mjs'), '--help'])
    expect(jobs.stdout).toMatch(/^usage: node jobs\.mjs \[redrive\] \[flags\]$/m)
  })

  it('suggests no command that works only in a checkout, except a contract run', async () => {
    // The second alternative is part of the advice that `check-node.mjs` gives in a checkout.
    const allowed = /^npm (?:run contract -- --post\b|start, npm run serve)/
    const command = /\bnpm (?:start|run (?:routes|migrate|jobs|reconcile|contract|worker|token))\b[^'"`]*/g
    for (const file of await readdir(join(folder, 'programs'))) {
      const text = await readFile(join(folder, 'programs', file), 'utf8')
      expect((text.match(command) ?? []).filter((advice) => !allowed.test(advice))).toEqual([])
    }
  })

  it('is pure ASCII, because V8 would need twice the memory for any other text', async () => {
    for (const file of await readdir(join(folder, 'programs')))
      expect(await readFile(join(folder, 'programs', file), 'latin1')).not.toMatch(/[\u0080-\u00ff]/)
  })

  it("contains only its programs with their assets, the migrations and the packages' licences", async () => {
    const names = await readdir(folder)
    expect(names.sort()).toEqual([
      'LICENSES.txt',
      'check-node.mjs',
      'console.js',
      'docs',
      'jobs.mjs',
      'migrate.mjs',
      'migrations',
      'programs',
      'reconcile.mjs',
      'routes.mjs',
      'server.mjs',
    ])
  })

  it('is not written to a folder with other files, which it would replace', async () => {
    const place = await mkdtemp(join(tmpdir(), 'crossfade-build-'))
    for (const name of ['server.mjs', 'notes.txt']) await writeFile(join(place, name), 'mine')
    const build = run(process.execPath, ['dev/tools/bundle/build-for-node.ts', '--out', place], { cwd: root })
    await expect(build).rejects.toMatchObject({
      code: 1,
      stderr: `build: ${place} has other files, which a build would delete: choose an empty or a new folder\n`,
    })
    expect((await readdir(place)).toSorted()).toEqual(['notes.txt', 'server.mjs'])
    await rm(place, { recursive: true })
  })

  it.each(Object.keys(nodePrograms))("checks Node's version before it loads the program %s", async (name) => {
    const entry = await readFile(join(folder, `${name}.mjs`), 'utf8')
    // Node parses a module before it runs it, so a Node that is too old must not see any other import.
    expect(entry.match(/import.*/g)).toEqual([
      `import './check-node.mjs'`,
      `import('./programs/${name}.mjs').then(() => {`,
    ])
  })

  it.each([
    ['that ends', '', 0],
    ['that sets its exit code', 'process.exitCode = 3', 3],
    ['that throws', 'throw new Error()', 1],
    ['that waits for a promise that never settles', 'await new Promise(() => {})', 13],
  ])('exits with the exit code of a program %s', async (_, program, status) => {
    const place = await mkdtemp(join(tmpdir(), 'crossfade-entry-'))
    await mkdir(join(place, 'programs'))
    await writeFile(join(place, 'programs/migrate.mjs'), program)
    for (const file of ['check-node.mjs', 'migrate.mjs']) await cp(join(folder, file), join(place, file))
    expect(spawnSync(process.execPath, [join(place, 'migrate.mjs')]).status).toBe(status)
    await rm(place, { recursive: true })
  })

  it.runIf(isOldNodeInstalled).each(Object.keys(nodePrograms))(
    'says in one line that Node is too old for %s (if /usr/bin/node is older than 24)',
    (name) => {
      const { status, stdout, stderr } = spawnSync(oldNode, [join(folder, `${name}.mjs`)], options)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(/^Node \d\S+ \(\/\S+\) is too old: Crossfade needs Node 24 or later\.\n$/)
    },
  )

  it('has the build id and the evidence keys of the sources that it was built from', async () => {
    const { body } = await requestAt(server.adminUrl ?? '', 'GET', '/build')
    const { id, keys } = readOwnBuild()
    expect(body).toEqual({ build: id, evidenceKeys: Object.fromEntries(keys) })
    expect(keys.size).toBeGreaterThan(50)
  })

  it('sends spans to a collector', async () => {
    const collector = await startTestCollector()
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const traced = await startServer('the traced gateway', programOf('server'), {
      ...environment(),
      ...tracing,
    })
    const { traceparent, traceId } = createTraceparent()
    await requestAt(traced.url, 'GET', '/v1/libraries', { headers: { traceparent } })
    await collector.waitForTrace(traceId, 'GET libraries.list')
    await traced.stop()
    await collector.close()
  })

  it('serves the API documentation with its assets', async () => {
    const page = await (await fetch(`${server.url}/docs`)).text()
    const script = /src="([^"]+)"/.exec(page)?.[1] ?? ''
    const { status, headers } = await fetch(new URL(script, server.url), { method: 'HEAD' })
    expect({ status, type: headers.get('content-type') }).toMatchObject({
      status: 200,
      type: expect.stringContaining('javascript'),
    })
  })

  it('serves the console with its script', async () => {
    const { status } = await fetch(`${server.adminUrl}/console/sign-in`)
    const script = await fetch(`${server.adminUrl}/console/console.js`)
    expect([status, script.status]).toEqual([200, 200])
  })

  it('analyses an upload', async () => {
    const account = await signUpAtBundle()
    const { body: track } = await account.post('/v1/tracks', { title: 'Night Drive', artist: 'The Owls' })
    await uploadFile(account, track.id, createFile({ bytes: wav() }))
    const { readiness } = await waitForProcessing(account, track.id)
    expect(readiness).toMatchObject({ playback: { status: 'ready' }, waveform: { status: 'ready' } })
  })

  it('compares a shadowed read', async () => {
    const account = await signUpAtBundle()
    await storeRouteState(sources.database, { scope: 'tracks.list', state: 'shadow' })
    const countComparisons = async () => {
      const { headers } = await account.get('/v1/tracks')
      expect(headers.get('x-service-core-runtime')).toBe('proxy')
      const [row] = await sources.database.sql<[{ comparisons: number; regressions: number }]>`
        select coalesce(sum(comparisons), 0)::int as comparisons, coalesce(sum(regressions), 0)::int as regressions
        from evidence_counts where label = 'tracks.list'`
      return row
    }
    await expect
      .poll(async () => (await countComparisons()).comparisons, { timeout: 60_000, interval: 500 })
      .toBeGreaterThan(0)
    expect(await countComparisons()).toMatchObject({ regressions: 0 })
  })

  it('can check migrations, put dead-lettered jobs back, and run the command that moves routes', async () => {
    const env = { PATH: process.env.PATH, ...environment() }
    const check = await run(process.execPath, [join(folder, 'migrate.mjs'), '--check'], { env })
    const help = await run(process.execPath, [join(folder, 'routes.mjs'), '--help'], { env })
    expect(check.stdout).toContain('the database is up to date')
    expect(help.stdout).toContain('ramp LABEL PERCENT')
    const redrive = await run(process.execPath, [join(folder, 'jobs.mjs'), 'redrive'], { env })
    expect(redrive.stdout).toBe('no dead-lettered jobs\n')
  })
})
