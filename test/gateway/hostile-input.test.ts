import { describe } from 'vitest'
import { testHostileInput } from './hostile-input.ts'

describe('hostile input on Node', () => testHostileInput('node'))
