import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { copyProject } from '#test/dev/start/copy-project.ts'
import {
  bringIntoStates,
  takeConsole,
  takeDocumented,
  takeEmptyConsole,
  takeSignIn,
} from './console-pages.ts'
import { createPhotographer } from './photographer.ts'
import { startShownSandbox } from './sandbox-states.ts'
import { takeGateway, takeParity, takeProviders, takeShares } from './service-pages.ts'
import { columns, drawTerminal } from './terminal-svg.ts'

const root = join(import.meta.dirname, '../../..')

const command = {
  name: 'screenshots',
  does: 'Takes pictures of every page in its states at four widths, light and dark, and lists layout faults.',
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
    'It takes about ten minutes, and exits with status 1 if any page has a layout fault.',
    'CHROMIUM_PATH is the path of Chromium; default: /usr/bin/chromium.',
  ],
} as const

const {
  out = '',
  only = [''],
  docs = false,
} = readArgumentsOrExit(command.name, (args) => readCommandLine(command, args).values, 1)
const documented = join(root, 'docs/screenshots')

const interrupt = '\u0003'

/** Runs `npm start` in a terminal, in a copy of the project, until it is ready. Returns everything it printed. */
const recordStart = async (): Promise<string> => {
  const folder = await copyProject()
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', LANG: 'C.UTF-8' }
  // `script` (util-linux) runs a command in a pseudo-terminal.
  const command = `stty cols ${columns} rows 50; exec npm --no-update-notifier start`
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env })
  const exited = once(terminal, 'exit')
  try {
    let output = ''
    for await (const bytes of terminal.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      output += bytes
      if (output.includes('Press Ctrl-C to stop.')) return output
    }
    throw new Error(`npm start exited before it was ready:\n${output}`)
  } finally {
    terminal.stdout.resume()
    if (terminal.exitCode === null) terminal.stdin.write(interrupt)
    await exited
    await removeEmbeddedPostgres(join(folder, '.data/postgres'))
    await rm(folder, { recursive: true, force: true })
  }
}

const takeTerminal = async () => {
  const output = `$ npm start\r\n${await recordStart()}`
  await writeFile(
    join(documented, 'npm-start.svg'),
    drawTerminal(output, 'npm start in a terminal, until it is ready'),
  )
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--disable-background-networking', '--disable-component-update'],
})
const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-screenshots-'))
const { takePictures, faults } = createPhotographer(out, only)
try {
  await mkdir(out, { recursive: true })
  if (docs) await takeTerminal()
  const sandbox = await startShownSandbox(stateDir)
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    const take = docs ? async () => undefined : takePictures
    await takeSignIn(page, take, sandbox)
    if (!docs) await takeEmptyConsole(page, take, sandbox)
    await bringIntoStates(sandbox)
    if (docs) await takeDocumented(context, documented, sandbox)
    else {
      await takeConsole(page, take, sandbox)
      await takeGateway(page, take, sandbox)
      await takeShares(page, take, sandbox)
      await takeProviders(page, take, { sandbox, stateDir })
    }
  } finally {
    await sandbox.end()
  }
  if (!docs) await takeParity(await browser.newPage(), takePictures)
} finally {
  await browser.close()
  await rm(stateDir, { recursive: true, force: true })
}
for (const fault of faults) process.stdout.write(`fault: ${fault}\n`)
if (!docs) process.stdout.write(`${faults.length} faults. The pictures are in ${out}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
