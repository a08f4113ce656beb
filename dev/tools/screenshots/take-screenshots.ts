import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import {
  bringIntoStates,
  signIn,
  takeConsole,
  takeDocumented,
  takeEmptyConsole,
  takeSignIn,
} from './console-pages.ts'
import { createPhotographer } from './photographer.ts'
import { startShownSandbox } from './sandbox-states.ts'

const root = join(import.meta.dirname, '../../..')

const command = {
  name: 'screenshots',
  does: 'Takes pictures of the console in its states at four widths, light and dark, and lists layout faults.',
  example: '',
  flags: {
    out: {
      type: 'string',
      takes: 'FOLDER',
      means: 'where the pictures go; default: .data/screenshots',
      default: join(root, '.data/screenshots'),
    },
    only: {
      type: 'string',
      multiple: true,
      takes: 'NAME',
      means: 'takes pictures only of pages whose names begin with NAME; repeatable',
    },
    docs: { type: 'boolean', means: 'takes only the pictures in docs/screenshots' },
  },
  notes: [
    'Exits with status 1 if any page has a layout fault.',
    'CHROMIUM_PATH is the path of Chromium; default: /usr/bin/chromium.',
  ],
} as const

const {
  out = '',
  only = [''],
  docs = false,
} = readArgumentsOrExit(command.name, (args) => readCommandLine(command, args).values, 1)
const documented = join(root, 'docs/screenshots')

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--disable-background-networking', '--disable-component-update'],
})
const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-screenshots-'))
const { takePictures, faults } = createPhotographer(out, only)
try {
  await mkdir(out, { recursive: true })
  const sandbox = await startShownSandbox(stateDir)
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    if (!docs) await takeSignIn(page, takePictures, sandbox)
    await signIn(page, sandbox)
    if (!docs) await takeEmptyConsole(page, takePictures, sandbox)
    await bringIntoStates(sandbox)
    if (docs) await takeDocumented(page, documented, sandbox)
    else await takeConsole(page, takePictures, sandbox)
  } finally {
    await sandbox.end()
  }
} finally {
  await browser.close()
  await rm(stateDir, { recursive: true, force: true })
}
for (const fault of faults) process.stdout.write(`fault: ${fault}\n`)
if (!docs) process.stdout.write(`${faults.length} faults. The pictures are in ${out}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
