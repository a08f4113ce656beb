import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCommandBlocks } from './markdown-blocks.ts'
import { runProject, userEnvironment } from './run-project.ts'
import { isInstalled, openShell, shells } from './shells.ts'

// In the order in which a new user reads them.
const pages = ['README.md', 'docs/tour.md', 'docs/comparing.md']
const commandBlocks = pages.flatMap(readCommandBlocks).map(({ commands }) => commands)

describe('the commands of the README and the tour', () => {
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

/** A part of each block, and the outputs of its commands in their order. */
const expectations: readonly (readonly [string, RegExp])[] = [
  ['curl -i $BASE', /core-runtime: native[\s\S]+core-runtime: proxy[\s\S]+HTTP\/1.1 401/i],
  ['TOKEN=', /^$/],
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

describe.runIf(process.env.THOROUGH)('the README and the tour, pasted into an interactive shell', () => {
  let project: Awaited<ReturnType<typeof runProject>>
  beforeAll(async () => {
    project = await runProject()
  }, 90_000)
  afterAll(() => project.stop(), 60_000)

  // Bob is on the free plan only until the first shell has bought one.
  const pasted = commandBlocks.filter((block) => !isSeparate(block))
  const blocksFor = (name: string) =>
    name === 'bash' ? pasted : pasted.map((block) => block.replaceAll('acct_bob', 'acct_dave'))

  it.each(shells.filter(({ name }) => isInstalled(name)))(
    'prints what it promises in $name, without any error',
    async (selected) => {
      const shell = openShell(selected, project.folder, userEnvironment)
      await shell.paste('')
      for (const [index, block] of blocksFor(selected.name).entries()) {
        const [part = '', printed = /^$/] = expectations[index] ?? []
        expect(block).toContain(part)
        const { output, errors } = await shell.paste(block.replaceAll('http://127.0.0.1:8787', project.url))
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
