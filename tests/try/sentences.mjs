// Prints the sentence of the page about each comparison that stands in stdin as JSON.
import { readFileSync } from 'node:fs';
import { leadingSentence } from '../../docs/try/src/sentence.js';
import { number } from '../../docs/try/src/words.js';

const asked = JSON.parse(readFileSync(0, 'utf-8'));
console.log(JSON.stringify(asked.map(({ baseline, facts }) => leadingSentence(baseline, facts, number))));
