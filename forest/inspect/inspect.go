// Package inspect analyses trained forests of any method.
//
// [Sensitivity] finds the training rows that the regions depend on; [Drift] tests whether new rows come from elsewhere.
// Of the model the package measures how predictions depend on features ([PermutationImportance], [PartialDependence]),
// its size ([ModelSize]), how different its trees are ([TreeDiversity]), and how good they are and how alike their
// mistakes ([StrengthCorrelation]).
package inspect
