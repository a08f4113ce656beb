import { hashDecisions } from './decide-shares.ts'

process.stdout.write(hashDecisions())
