import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'
import { copyProject } from '#test/dev/start/copy-project.ts'
import { columns } from './terminal-svg.ts'

const interrupt = '\u0003'

/** Runs `npm start` in a terminal, in a copy of the project, until it is ready. Returns everything it printed. */
export const recordStart = async (): Promise<string> => {
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
