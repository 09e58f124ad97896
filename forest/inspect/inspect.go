// Package inspect asks a trained forest, of any method, what it made of its data:
// which training rows its regions depend on ([Sensitivity]), which features its
// predictions depend on ([PermutationImportance]), and how many numbers it takes
// ([ModelSize]).
package inspect
