import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readIssuerKey } from './issuer-key.ts'
import { createTokenMinter } from './mint-token.ts'

const usage = 'npm run -s token -- --account acct_alice'

const readFlags = (args: string[]) => {
  const { values } = parseArgs({
    args,
    options: {
      account: { type: 'string', default: 'acct_alice' },
      'state-dir': { type: 'string', default: resolve(import.meta.dirname, '../..', '.data') },
    },
  })
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(values.account))
    throw new Error(`invalid account id: ${values.account}: use 1 to 128 letters, digits, - or _`)
  return { accountId: values.account, stateDir: values['state-dir'] }
}

try {
  const { accountId, stateDir } = readFlags(process.argv.slice(2))
  const mintToken = createTokenMinter(await readIssuerKey(stateDir))
  process.stdout.write(`${await mintToken(accountId)}\n`)
} catch (error) {
  const [reason] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`token: ${reason} (usage: ${usage})\n`)
  process.exitCode = 1
}
