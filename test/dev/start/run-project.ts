import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'
import { copyProject } from './copy-project.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const userEnvironment: Environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  LANG: 'C.UTF-8',
}

const startProject = async (command: string, folder: string, env: Environment) => {
  const shell = spawn('bash', ['-c', command], { cwd: folder, env, detached: true })
  const exited = new Promise((resolve) => shell.once('close', resolve))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const collect = (bytes: Buffer) => {
      output += bytes
      // The last line of the banner.
      if (/^curl -i http\S+$/m.test(output)) resolve()
    }
    shell.stdout.on('data', collect)
    shell.stderr.on('data', collect)
    shell.once('exit', () => reject(new Error(output)))
  })
  return {
    url: /^ *Crossfade +(http\S+)$/m.exec(output)?.[1] ?? '',
    /** Stops the project the way Ctrl-C does. */
    async interrupt() {
      if (shell.exitCode === null && shell.signalCode === null) process.kill(-(shell.pid ?? 0), 'SIGINT')
      await exited
    },
  }
}

export const runProject = async (environment: Environment = {}) => {
  const folder = await copyProject()
  let project = await startProject('npm start', folder, { ...userEnvironment, ...environment, PORT: '0' })
  const { url } = project
  return {
    folder,
    url,
    /** Presses Ctrl-C, then runs a command that contains `npm start`. The address stays the same. */
    async restart(command: string) {
      await project.interrupt()
      const { port } = new URL(url)
      project = await startProject(command, folder, { ...userEnvironment, ...environment, PORT: port })
    },
    async stop() {
      await project.interrupt()
      await removeEmbeddedPostgres(join(folder, '.data/postgres'))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
