import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { readCodeBlocks } from './readme.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

// Leaves out the project's own Node, so that the machine's Node is used. That Node may be the oldest version that the
// package supports.
const userPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

describe('the client package', { timeout: 60_000 }, () => {
  const gateway = startTestGateway()
  let folder: string
  let installed: string

  // Does what `npm install` does with the file from `npm pack`, using this checkout's dependencies.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-client-'))
    installed = join(folder, 'node_modules/@crossfade/client')
    await mkdir(installed, { recursive: true })
    await run('npm', ['pack', '--workspace', 'packages/client', '--pack-destination', folder], { cwd: root })
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    await run('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', installed])
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }, 60_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('contains the module, its types and its README', async () => {
    const files = await readdir(installed, { recursive: true })
    expect(files.filter((file) => !/^dist\/[\w-]+\.d\.ts$/.test(file)).sort()).toEqual([
      'README.md',
      'dist',
      'dist/index.js',
      'package.json',
    ])
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('dist/schema.d.ts')
  })

  it('works as the first call in its README shows', async () => {
    const [firstCall = ''] = await readCodeBlocks('js')
    const account = await gateway.signUp()
    await account.post('/v1/libraries', { name: 'Demos' })
    await writeFile(
      join(folder, 'first-call.mjs'),
      firstCall.replaceAll('http://127.0.0.1:8787', gateway.url),
    )
    const { stdout } = await run('node', ['first-call.mjs'], {
      cwd: folder,
      env: { PATH: userPath, TOKEN: account.token },
    })
    expect(stdout).toBe("[ 'Demos' ]\n")
  })

  // The compiler that most applications use, and the newest one.
  it.each([
    ['TypeScript 5', 'packages/client/node_modules/typescript', 'bundler'],
    ['the newest TypeScript', 'node_modules/typescript', 'nodenext'],
  ])('has types for applications with %s', async (_, compiler, moduleResolution) => {
    await writeFile(
      join(folder, 'application.mts'),
      `import { createClient, listRecords, type components } from '@crossfade/client'
       const client = createClient({ baseUrl: 'http://127.0.0.1' })
       export const read = async (): Promise<components['schemas']['Track']> => {
         for await (const track of listRecords(client, '/v1/tracks')) return track
         return client.post('/v1/tracks', { body: { title: 'a', artist: 'b' } })
       }
       // @ts-expect-error There is no such path.
       await client.get('/v1/nothing')`,
    )
    const compilerOptions = {
      module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
    }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['application.mts'] }),
    )
    await run(process.execPath, [join(root, compiler, 'bin/tsc'), '-p', folder])
  })
})
