// Package inspect analyses trained forests of any method: which training rows the
// regions depend on ([Sensitivity]), which features the predictions depend on
// ([PermutationImportance]), how many numbers the model stores ([ModelSize]), and how
// different the trees are ([TreeDiversity]).
package inspect
