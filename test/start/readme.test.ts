import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeEmbeddedPostgres } from '#db/embedded/start.ts'
import { copyProject } from './copy-project.ts'
import { commandBlocks, isInstalled, openShell, shells } from './readme-blocks.ts'

describe('the commands of the README', () => {
  it.each(shells.filter(({ name }) => isInstalled(name)))('can be parsed by $name', ({ name }) => {
    expect(commandBlocks.length).toBeGreaterThan(10)
    for (const block of commandBlocks) {
      const { status, stderr } = spawnSync(name, ['-n'], { input: block, encoding: 'utf8' })
      expect([block, status, stderr]).toEqual([block, 0, ''])
    }
  })

  it('have no comments, which an interactive zsh takes for arguments, and no patterns of file names', () => {
    for (const block of commandBlocks) {
      expect(block).not.toMatch(/(?:^|\s)#/m)
      const unquoted = block.replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, '')
      expect(unquoted).not.toMatch(/[?*]/)
    }
  })
})

/** A part of a block in the README, and the outputs of its commands in their order. */
const expectations: readonly (readonly [string, RegExp])[] = [
  ['curl -i $BASE', /core-runtime: native[\s\S]+core-runtime: proxy[\s\S]+HTTP\/1.1 401/i],
  ['node -e', /^$/],
  ['INTENT=', /^"\w+"\n$/],
  ['processing-status', /"playback":"ready"[\s\S]*"samplesPerPixel"[\s\S]*\n\s*100\n$/],
  ['accessCode=', /titles[\s\S]*access_code_required[\s\S]*harbour-ep-press/],
  ['LINK_TOKEN=', /\n\s*100\n[\s\S]*"plays": 1[\s\S]*track_link_unavailable/],
  ['CHECKOUT=', /entitlement_required[\s\S]*http:\S+\/checkout\//],
  ['/pay', /"planId":"pro","status":"active"[\s\S]*"\/\S+"\n$/],
  ['billing/cancel', /^true\nfalse\n"switched"\nhttp\S+\n$/],
  ['invitations', /^"queued"\nqueued\n$/],
]
// Blocks that install, test or start a sandbox of their own.
const isSeparate = (block: string) => /^npm (?:ci|run contract)/.test(block)

describe.runIf(process.env.THOROUGH)('the README, pasted into an interactive shell', () => {
  let folder: string
  let npm: ChildProcess
  let url = ''
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8' }

  beforeAll(async () => {
    folder = await copyProject()
    npm = spawn('npm', ['start'], { cwd: folder, env: { ...environment, PORT: '0' }, detached: true })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      npm.stdout?.on('data', (bytes) => {
        output += bytes
        if (/^curl -i http\S+$/m.test(output)) resolve()
      })
      npm.once('exit', () => reject(new Error(output)))
    })
    url = /^ *Crossfade +(http\S+)$/m.exec(output)?.[1] ?? ''
  }, 90_000)
  afterAll(async () => {
    const exited = new Promise((resolve) => npm.once('close', resolve))
    process.kill(-(npm.pid ?? 0), 'SIGINT')
    await exited
    await removeEmbeddedPostgres(join(folder, '.data/postgres'))
    await rm(folder, { recursive: true, force: true })
  }, 60_000)

  // Bob is on the free plan only until the first shell has bought one.
  const pasted = commandBlocks.filter((block) => !isSeparate(block))
  const blocksFor = (name: string) =>
    name === 'bash' ? pasted : pasted.map((block) => block.replaceAll('acct_bob', 'acct_dave'))

  it.each(shells.filter(({ name }) => isInstalled(name)))(
    'prints what it promises in $name, without any error',
    async (selected) => {
      const shell = openShell(selected, folder, environment)
      await shell.paste('')
      for (const [index, block] of blocksFor(selected.name).entries()) {
        const [part = '', printed = /^$/] = expectations[index] ?? []
        expect(block).toContain(part)
        const { output, errors } = await shell.paste(block.replaceAll('http://127.0.0.1:8787', url))
        expect(output, block).toMatch(printed)
        expect(errors, block).not.toMatch(/a command failed|no matches found|not found|error/)
      }
      shell.close()
    },
    180_000,
  )

  it('has an expectation for each block', () => {
    expect(pasted.length).toBe(expectations.length)
  })
})
