import { resolve } from 'node:path'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { readIssuerKey } from './issuer-key.ts'
import { createTokenMinter } from './mint-token.ts'

const command = {
  name: 'token',
  does: 'Prints an access token for an account. The gateway that npm start runs accepts it for 12 hours.',
  example: '--account acct_bob',
  flags: {
    account: {
      type: 'string',
      takes: 'ID',
      means: 'the account; acct_alice, acct_bob and acct_carol have demo data',
      default: 'acct_alice',
    },
    'state-dir': {
      type: 'string',
      takes: 'FOLDER',
      means: 'the state folder of npm start; default: .data',
      default: resolve(import.meta.dirname, '../..', '.data'),
    },
  },
  notes: ['In a script: TOKEN=$(npm run -s token -- --account acct_bob)'],
} as const

const readFlags = (args: readonly string[]) => {
  const { account = '', 'state-dir': stateDir = '' } = readCommandLine(command, args).values
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(account))
    throw new Error(`invalid account id: ${account}: use 1 to 128 letters, digits, - or _`)
  return { account, stateDir }
}

const { account, stateDir } = readArgumentsOrExit(command.name, readFlags, 1)
try {
  const mintToken = createTokenMinter(await readIssuerKey(stateDir))
  process.stdout.write(`${await mintToken(account)}\n`)
} catch (error) {
  process.stderr.write(`token: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
